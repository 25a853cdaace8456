import { readFileSync } from 'node:fs';

/**
 * Returns how many connections may be open, so that enough file descriptors remain for servers and files. Without them,
 * a flood of connections would keep the process from starting anything. Only Linux has a file with the limit.
 */
export function connectionLimit(wanted: number, openFiles = readOpenFilesLimit()): number {
  return openFiles === undefined ? wanted : Math.max(1, Math.min(wanted, Math.floor(openFiles * SHARE)));
}

const SHARE = 0.75;

/** Node raises the soft limit to the hard one. */
function readOpenFilesLimit(): number | undefined {
  let text: string;
  try {
    text = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Not Linux.
    return undefined;
  }
  const [, soft] = /^Max open files\s+(\d+)/m.exec(text) ?? [];
  return soft === undefined ? undefined : Number(soft);
}
