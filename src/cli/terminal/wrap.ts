import type { Output } from '../output.ts';
import { displayWidth } from './width.ts';

/**
 * Breaks each line of a text between words so that a terminal does not break it inside one. What follows keeps to the
 * column where the text of its line starts: a description stays in its column. A command to type is never broken: it
 * moves to a line of its own, and only the terminal wraps it, so that it can be copied whole.
 */
export function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, Math.max(width, MIN_WIDTH)))
    .join('\n');
}

/** Only where stdout is a terminal: a file or a pipe gets the lines as they are. */
export function wrapForScreen(text: string, { screen }: Pick<Output, 'screen'>): string {
  return screen === undefined ? text : wrap(text, screen.size().columns);
}

/** On a narrower terminal, columns of one word would be harder to read than broken words. */
const MIN_WIDTH = 30;
/** Less room than this beside a description is no column. */
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

/** Words, each with the blanks before it; a command to type is one piece. */
function piecesOf(line: string): readonly string[] {
  return line.match(/\s*(?:(?:Run|See|Usage|Next|next): .*|\S+)/g) ?? [line];
}

/** Where the text of a line starts: after its label (`  --json     one document`), else after its blanks. */
function textColumn(line: string, width: number): number {
  const label = /^\s*\S.*?\s{2,}(?=\S)/.exec(line)?.[0].length ?? 0;
  if (label > 0 && width - label >= MIN_COLUMN) return label;
  return /^\s*/.exec(line)?.[0].length ?? 0;
}
