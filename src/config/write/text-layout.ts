/** The layout of a text, so that inserted text looks the same. */
export interface TextStyle {
  readonly eol: string;
  /** Indentation of one level. */
  readonly unit: string;
}

/** Formats a value as JSON: over several lines with this indentation, or on a single line without one. */
export function formatJson(value: unknown, { eol, unit }: TextStyle, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value, null, 1).replace(/\n */g, ' ');
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

/** Returns the blanks before an offset if it is the first non-blank in its line; undefined otherwise. */
export function indentOf(text: string, at: number): string | undefined {
  const before = text.slice(lineStart(text, at), at);
  return /^[ \t]*$/.test(before) ? before : undefined;
}

export function lineStart(text: string, at: number): number {
  if (at === 0) return 0;
  return Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1;
}

/** Returns the indentation of the line that contains an offset. */
export function lineIndent(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? '';
}

/** Returns the offset after the spaces and tabs at `from`. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}

/**
 * Returns the offset after the comma and the comments that follow in the same line, and so belong to the text before
 * them.
 */
export function skipTrailingComments(text: string, from: number): number {
  const parts = /[ \t]*(?:,|\/\*[\s\S]*?\*\/|\/\/[^\r\n]*)/y;
  let end = from;
  for (parts.lastIndex = from; parts.test(text); ) end = parts.lastIndex;
  return end;
}
