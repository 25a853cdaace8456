/** Nobody reads a megabyte on a terminal. */
export function cutText(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  const left = ((text.length - MAX_SHOWN) / 1024 / 1024).toFixed(1);
  return `${text.slice(0, MAX_SHOWN)}\n[… ${left} MiB more: use --json or redirect to see all]`;
}

const MAX_SHOWN = 1024 * 1024;
