import type { Output } from '../output.ts';
import { displayWidth } from './width.ts';

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
  const indent = ' '.repeat(textColumn(line, width));
  const lines: string[] = [];
  let current = '';
  for (const piece of piecesOf(line)) {
    if (current !== '' && displayWidth(current) + displayWidth(piece) > width) {
      lines.push(current.trimEnd());
      current = indent + piece.trimStart();
    } else current += piece;
  }
  return [...lines, current.trimEnd()];
}

/** Splits into words, each with its leading blanks; a command to type is one piece. */
function piecesOf(line: string): readonly string[] {
  return line.match(/\s*(?:(?:Run|See|Usage|Next|next): .*|\S+)/g) ?? [line];
}

/**
 * Returns the column where the text of a line starts: after its label (` --json one document`), else after its indent.
 */
function textColumn(line: string, width: number): number {
  const label = /^\s*\S.*?\s{2,}(?=\S)/.exec(line)?.[0].length ?? 0;
  if (label > 0 && width - label >= MIN_COLUMN) return label;
  return /^\s*/.exec(line)?.[0].length ?? 0;
}
