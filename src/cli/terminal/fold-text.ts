import { displayWidth } from './width.ts';

/**
 * Folds a text at blanks and indents every line after the first. The first line follows a prefix as wide as the indent.
 * Never splits a long word, so that a path or URL can be copied. Folds nothing without a width.
 */
export function foldText(
  text: string,
  { width, indent }: { readonly width: number | undefined; readonly indent: string },
): readonly string[] {
  if (width === undefined || displayWidth(text) + indent.length <= width) return [text];
  const room = Math.max(width - indent.length, MIN_COLUMN_WIDTH);
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(BREAK)) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line === undefined || displayWidth(longer) <= room) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line ?? ''].map((one, index) => (index === 0 ? one.trimEnd() : `${indent}${one.trim()}`));
}

/** Keeps a final `line 7)` together. */
const BREAK = / (?!\d+\)$)/;
/** A narrower column is not readable. */
const MIN_COLUMN_WIDTH = 20;
