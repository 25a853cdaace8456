/** How a text is laid out, so that what is put into it looks the same. */
export interface TextStyle {
  readonly eol: string;
  /** One level. */
  readonly unit: string;
}

/** A value as JSON: over several lines under this indentation, or without one on a single line. */
export function formatJson(value: unknown, { eol, unit }: TextStyle, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value, null, 1).replace(/\n */g, ' ');
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

/** The blanks before a place that is the first in its line; undefined when something else stands before it. */
export function indentOf(text: string, at: number): string | undefined {
  const before = text.slice(lineStart(text, at), at);
  return /^[ \t]*$/.test(before) ? before : undefined;
}

export function lineStart(text: string, at: number): number {
  if (at === 0) return 0;
  return Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1;
}

/** The blanks at the beginning of the line of a place. */
export function lineIndent(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? '';
}

/** Behind the blanks, but for line breaks, that follow a place. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}

/** Behind the comma and the comments that follow a place in the same line, and so belong to what stands there. */
export function skipTrailingComments(text: string, from: number): number {
  const parts = /[ \t]*(?:,|\/\*[\s\S]*?\*\/|\/\/[^\r\n]*)/y;
  let end = from;
  for (parts.lastIndex = from; parts.test(text); ) end = parts.lastIndex;
  return end;
}
