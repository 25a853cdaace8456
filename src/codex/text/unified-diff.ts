import { isAbsolute, relative, sep } from 'node:path';
import type { FileChange } from '../item-types.ts';

/**
 * Formats file changes as a git diff, in the order in which they were made. Codex provides the bare content of an added
 * or deleted file, and hunks without a header for an updated one. Names are relative to the folder if possible.
 */
export function toUnifiedDiff(changes: readonly FileChange[], folder: string): string {
  return changes
    .map((change) => {
      const from = relativeName(folder, change.path);
      const to = change.movedTo === undefined ? from : relativeName(folder, change.movedTo);
      const head = `diff --git ${quote(`a/${from}`)} ${quote(`b/${to}`)}\n`;
      const body = bodyOf(change, { from, to });
      return body === '' ? '' : head + body;
    })
    .join('');
}

interface Names {
  readonly from: string;
  readonly to: string;
}

function bodyOf({ kind, diff, movedTo }: FileChange, { from, to }: Names): string {
  if (diff === undefined) return '';
  if (kind === 'add')
    return `new file mode 100644\n${hunks(
      '/dev/null',
      headerName(`b/${to}`),
      wholeFileHunk(diff, '+', (n) => `-0,0 +1,${n}`),
    )}`;
  if (kind === 'delete')
    return `deleted file mode 100644\n${hunks(
      headerName(`a/${from}`),
      '/dev/null',
      wholeFileHunk(diff, '-', (n) => `-1,${n} +0,0`),
    )}`;
  const change = hunks(headerName(`a/${from}`), headerName(`b/${to}`), withoutMove(diff, movedTo));
  return movedTo === undefined ? change : `rename from ${quote(from)}\nrename to ${quote(to)}\n${change}`;
}

function hunks(from: string, to: string, text: string): string {
  return text === '' ? '' : `--- ${from}\n+++ ${to}\n${text}`;
}

/** Formats the content of a file as one hunk. An empty file has none. */
function wholeFileHunk(content: string, sign: '+' | '-', range: (count: number) => string): string {
  if (content === '') return '';
  const lines = content.split('\n');
  const isEnded = lines.at(-1) === '';
  if (isEnded) lines.pop();
  const text = lines.map((line) => `${sign}${line}\n`).join('');
  return `@@ ${range(lines.length)} @@\n${text}${isEnded ? '' : '\\ No newline at end of file\n'}`;
}

/** Removes the line that Codex appends to the hunks of a moved file for human readers. */
function withoutMove(diff: string, movedTo: string | undefined): string {
  const tail = `\n\nMoved to: ${movedTo}`;
  const text = movedTo !== undefined && diff.endsWith(tail) ? diff.slice(0, -tail.length) : diff;
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** Returns a path relative to the folder, with slashes. A path outside of it only loses its leading slash. */
export function relativeName(folder: string, path: string): string {
  const inside = relative(folder, path);
  const isOutside = !isAbsolute(path) || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  const name = isOutside ? path.replace(/^[\\/]+/, '') : inside;
  return sep === '/' ? name : name.replaceAll(sep, '/');
}

/** Appends a tab to a name with spaces: otherwise `patch` would take its last word for a date. */
function headerName(name: string): string {
  const quoted = quote(name);
  return quoted === name && name.includes(' ') ? `${name}\t` : quoted;
}

/** Quotes names with special characters as git does. */
function quote(name: string): string {
  if (!/["\\\n\r\t]/.test(name)) return name;
  return `"${name.replace(/["\\\n\r\t]/g, (sign) => ESCAPES[sign] ?? sign)}"`;
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
