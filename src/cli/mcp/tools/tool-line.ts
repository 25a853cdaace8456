import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { signatureOf } from '../../input-schema/signature.ts';
import { type DescribedTool, firstSentence } from './describe-tool.ts';

/** One line: `github.create_issue(title: string, body?: string) [open-world]  Create an issue.` */
export function toolLine(tool: DescribedTool, width: number | undefined): string {
  const name = toolName(tool);
  const badges = badgeText(tool);
  const room = width === undefined ? MAX_PIPED : width - name.length - badges.length;
  const head = `${name}${signatureOf(tool.inputSchema, Math.max(room, MIN_TEXT_WIDTH))}${badges}`;
  return withDescription(head, firstSentence(tool.description ?? tool.title ?? ''), width);
}

export function badgeText({ badges }: DescribedTool): string {
  return badges.length === 0 ? '' : ` [${badges.join(', ')}]`;
}

export function toolName({ server, tool }: Pick<DescribedTool, 'server' | 'tool'>): string {
  return quoteIfNeeded(`${server}.${tool}`);
}

/** What stands first is told in full, as far as the line goes; the sentence takes what is left. */
export function withDescription(head: string, sentence: string, width: number | undefined): string {
  const room = width === undefined ? MAX_PIPED : width - head.length - GAP.length;
  if (width !== undefined && head.length > width) return `${head.slice(0, width - 1).replace(LONE_SURROGATE, '')}…`;
  const told = room < MIN_TEXT_WIDTH ? '' : escapeInvisible(oneLine(sentence, room));
  return told === '' ? head : `${head}${GAP}${told}`;
}

const GAP = '  ';
/** Whoever reads from a pipe has no width; so much is enough to know what it is. */
const MAX_PIPED = 200;
/** Less than this tells nothing. */
const MIN_TEXT_WIDTH = 12;
const LONE_SURROGATE = /[\ud800-\udbff]$/;

/** Of the terminal that the answer goes to; undefined when it goes elsewhere. */
export function terminalWidth(stdout: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number | undefined {
  if (!stdout.isTTY) return undefined;
  return Math.max(stdout.columns || DEFAULT_COLUMNS, MIN_TERMINAL_WIDTH);
}

/** A terminal that does not say how wide it is. */
const DEFAULT_COLUMNS = 80;
const MIN_TERMINAL_WIDTH = 40;
