import type { CommandContext } from '../command-context.ts';
import { wrap } from './wrap.ts';

/** Prints help at the terminal's width, but at most `MAX_WIDTH`: long lines are hard to read. */
export function printHelp(text: string, { output }: Pick<CommandContext, 'output'>): void {
  output.answer(wrap(text, Math.min(output.screen?.size().columns ?? PIPED_WIDTH, MAX_WIDTH)));
}

const MAX_WIDTH = 100;
/** For a pager or a file: a width that every terminal can show. */
const PIPED_WIDTH = 80;
