import { displayWidth } from '../../base/text/display-width.ts';
import type { Output } from '../output.ts';

/**
 * Wraps each line of a text between words, so that the terminal does not break it inside one. Continuation lines start
 * in the column of the line's text: a description stays in its column. Never breaks a command to type: moves it to a
 * line of its own and lets the terminal wrap it, so that it can be copied whole.
 */
export function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, Math.max(width, MIN_WIDTH)))
    .join('\n');
}

/** Wraps only when stdout is a terminal: a file or a pipe gets the lines unchanged. */
export function wrapForScreen(text: string, { screen }: Pick<Output, 'screen'>): string {
  return screen === undefined ? text : wrap(text, screen.size().columns);
}

/** On a narrower terminal, columns of one word would be harder to read than broken words. */
const MIN_WIDTH = 30;
/** A narrower description does not get a column of its own. */
const MIN_COLUMN = 20;

function wrapLine(line: string, width: number): readonly string[] {
  if (displayWidth(line) <= width) return [line];
  return fillLines(piecesOf(line), width, ' '.repeat(textColumn(line, width)));
}

/** Puts as many pieces on a line as fit. Every line after the first starts with the indent. */
function fillLines(pieces: readonly string[], width: number, indent: string): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const piece of pieces) {
    if (current !== '' && displayWidth(current) + displayWidth(piece) > width) {
      lines.push(current.trimEnd());
      current = indent + piece.trimStart();
    } else current += piece;
  }
  return [...lines, current.trimEnd()];
}

/** Splits into words, each with its leading blanks; a command to type is one piece. */
function piecesOf(line: string): readonly string[] {
  return line.match(/\s*(?:(?:Run|run|See|Usage|Next|next): .*|\S+)/g) ?? [line];
}

/**
 * Returns the column where the text of a line starts: after its label (` --json one document`), else after its indent.
 */
function textColumn(line: string, width: number): number {
  const label = /^\s*\S.*?\s{2,}(?=\S)/.exec(line)?.[0].length ?? 0;
  if (label > 0 && width - label >= MIN_COLUMN) return label;
  return /^\s*/.exec(line)?.[0].length ?? 0;
}

/**
 * Wraps one text at blanks below a prefix: the first line follows the prefix, which is as wide as the indent of the
 * others. Never splits a long word, so that a path or URL can be copied. Wraps nothing without a width.
 */
export function wrapHanging(
  text: string,
  { width, indent }: { readonly width: number | undefined; readonly indent: string },
): readonly string[] {
  if (width === undefined || displayWidth(text) + indent.length <= width) return [text];
  const [word = '', ...words] = text.split(BLANK);
  const room = Math.max(width, indent.length + MIN_COLUMN);
  const [first = '', ...more] = fillLines([`${indent}${word}`, ...words], room, indent);
  return [first.slice(indent.length), ...more];
}

/** Keeps a final `line 7)` together. */
const BLANK = /(?= (?!\d+\)$))/;
