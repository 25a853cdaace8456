/** Formats a size for a person: `12.3 KiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < UNIT) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  if (bytes < UNIT ** 2) return `${(bytes / UNIT).toFixed(1)} KiB`;
  return `${(bytes / UNIT ** 2).toFixed(1)} MiB`;
}

const UNIT = 1024;
