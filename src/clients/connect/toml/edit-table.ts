import { readStatements, type Statement } from './statements.ts';

/**
 * Changes one table of a TOML text and leaves every other character as it is. Only for text that a parser accepted. The
 * caller parses the result again: text in a form that is not handled here, such as inline tables, comes out wrong.
 */

/** Appends a table, after a blank line. */
export function appendTable(text: string, path: readonly string[], values: Readonly<Record<string, unknown>>): string {
  const eol = lineBreakOf(text);
  const lines = [`[${formatKey(path)}]`, ...Object.entries(values).map(([key, value]) => formatLine([key], value))];
  const before = text === '' || text.endsWith('\n') ? text : `${text}${eol}`;
  const gap = before.trim() === '' || /\n\r?\n$/.test(before) ? '' : eol;
  return `${before}${gap}${lines.join(eol)}${eol}`;
}

/** Removes a table and the tables below it. Comments that precede the next table stay. */
export function removeTable(text: string, path: readonly string[]): string {
  let changed = text;
  for (const { start, end } of tablesIn(text, path).toReversed()) {
    const before = changed.slice(0, start);
    const after = changed.slice(end);
    // The blank line that separates the table from the one before it.
    changed = `${before.replace(/(\n)\r?\n$/, after.trim() === '' || /^\r?\n/.test(after) ? '$1' : '$&')}${after}`;
  }
  return changed;
}

/** Sets one value of a table. Returns the text unchanged if the table has no header of its own. */
export function setValue(
  text: string,
  { path, key, value }: { readonly path: readonly string[]; readonly key: string; readonly value: unknown },
): string {
  const statements = readStatements(text);
  const header = statements.findIndex((one) => one.kind === 'header' && isSame(one.key, path));
  const place = statements[header];
  if (place === undefined) return text;
  const existing = valuesAfter(statements, header).find((one) => isSame(one.key, [key]));
  if (existing !== undefined) {
    const old = text.slice(existing.start, existing.end);
    return splice(
      text,
      existing,
      old.replace(/=[\s\S]*?(?=\s*(?:#[^\n]*)?\r?\n?$)/, () => `= ${formatValue(value)}`),
    );
  }
  const eol = lineBreakOf(text);
  const isLast = place.end === text.length && !text.endsWith('\n');
  const line = `${isLast ? eol : ''}${formatLine([key], value)}${eol}`;
  return splice(text, { start: place.end, end: place.end }, line);
}

/** Removes one value of a table, with its line. */
export function removeValue(text: string, path: readonly string[], key: string): string {
  const statements = readStatements(text);
  const header = statements.findIndex((one) => one.kind === 'header' && isSame(one.key, path));
  const found = header === -1 ? undefined : valuesAfter(statements, header).find((one) => isSame(one.key, [key]));
  return found === undefined ? text : splice(text, found, '');
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the spans of a table and of the tables below it, each from its header to its last value. */
function tablesIn(text: string, path: readonly string[]): readonly Span[] {
  const statements = readStatements(text);
  return statements.flatMap((statement, index) => {
    if (statement.kind !== 'header' || !isSame(statement.key.slice(0, path.length), path)) return [];
    const last = valuesAfter(statements, index).at(-1) ?? statement;
    return [{ start: statement.start, end: last.end }];
  });
}

function valuesAfter(statements: readonly Statement[], header: number): readonly Statement[] {
  const next = statements.findIndex(({ kind }, index) => index > header && kind === 'header');
  return statements.slice(header + 1, next === -1 ? undefined : next);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}

function splice(text: string, { start, end }: Span, put: string): string {
  return text.slice(0, start) + put + text.slice(end);
}

function lineBreakOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

function formatLine(key: readonly string[], value: unknown): string {
  return `${formatKey(key)} = ${formatValue(value)}`;
}

function formatKey(parts: readonly string[]): string {
  return parts.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : formatValue(part))).join('.');
}

/** Formats a string, a boolean, a number, a list or an object. A JSON string is also a TOML string. */
function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, member]) => formatLine([key], member))
      .join(', ')} }`;
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}
