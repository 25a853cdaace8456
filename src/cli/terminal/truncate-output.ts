/** Truncates text for a terminal: nobody reads a megabyte there. */
export function truncateOutput(text: string): string {
  if (text.length <= MAX_OUTPUT_LENGTH) return text;
  const left = ((text.length - MAX_OUTPUT_LENGTH) / 1024 / 1024).toFixed(1);
  return `${text.slice(0, MAX_OUTPUT_LENGTH)}\n[… ${left} MiB more: use --json or redirect to see all]`;
}

const MAX_OUTPUT_LENGTH = 1024 * 1024;
