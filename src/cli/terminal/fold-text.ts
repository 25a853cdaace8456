import { displayWidth } from './width.ts';

/**
 * A text on as many lines as it needs, broken at blanks, those after the first indented. The first stands behind
 * something that is as wide as the indent. A longer word is left whole: a path or an address can then be copied.
 * Without a width nothing is broken.
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

/** `line 7)` at the end stays together. */
const BREAK = / (?!\d+\)$)/;
/** Less than this is no column any more. */
const MIN_COLUMN_WIDTH = 20;
