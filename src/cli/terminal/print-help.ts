import type { CommandContext } from '../command-context.ts';
import { createStyle } from './style.ts';
import { wrap } from './wrap.ts';

/** Prints help at the terminal's width, but at most `MAX_WIDTH`: long lines are hard to read. */
export function printHelp(text: string, { output, env }: Pick<CommandContext, 'output' | 'env'>): void {
  const wrapped = wrap(text, Math.min(output.screen?.size().columns ?? PIPED_WIDTH, MAX_WIDTH));
  const style = createStyle({ isTerminal: output.screen !== undefined, env });
  output.answer(wrapped.replaceAll(HEADING, (heading) => style.paint(heading, 'heading')));
}

/** The beginning of a line up to its colon: `Usage:`, `HTTP servers:`. */
const HEADING = /^\S[^:\n]{0,40}:(?=\s)/gm;

const MAX_WIDTH = 100;
/** For a pager or a file: a width that every terminal can show. */
const PIPED_WIDTH = 80;
