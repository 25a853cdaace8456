import { displayWidth, truncateToWidth } from '../../../base/text/display-width.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { signatureOf } from '../../input-schema/signature.ts';
import type { Output } from '../../output.ts';
import { type DescribedTool, firstSentence } from './describe-tool.ts';

/** Formats one line: `github.create_issue(title: string, body?: string) [open-world]  Create an issue.` */
export function toolLine(tool: DescribedTool, width: number | undefined): string {
  const name = toolName(tool);
  const badges = badgeText(tool);
  const room = width === undefined ? MAX_PIPED : width - displayWidth(name) - badges.length;
  const head = `${name}${signatureOf(tool.inputSchema, Math.max(room, MIN_TEXT_WIDTH))}${badges}`;
  return withDescription(head, firstSentence(tool.description ?? tool.title ?? ''), width);
}

export function badgeText({ badges }: DescribedTool): string {
  return badges.length === 0 ? '' : ` [${badges.join(', ')}]`;
}

export function toolName({ server, tool }: Pick<DescribedTool, 'server' | 'tool'>): string {
  return quoteIfNeeded(`${server}.${tool}`);
}

/** Shows the head in full, up to the width; the sentence takes the remaining space. */
export function withDescription(head: string, sentence: string, width: number | undefined): string {
  const room = width === undefined ? MAX_PIPED : width - displayWidth(head) - GAP.length;
  if (width !== undefined && displayWidth(head) > width) return truncateToWidth(head, width);
  const description = room < MIN_TEXT_WIDTH ? '' : truncateToWidth(escapeInvisible(oneLine(sentence, room)), room);
  return description === '' ? head : `${head}${GAP}${description}`;
}

const GAP = '  ';
/** A pipe has no width; this much is enough to recognize a tool. */
const MAX_PIPED = 200;
/** Shorter text says nothing. */
const MIN_TEXT_WIDTH = 12;

/** Returns the width of the terminal on stdout; undefined for a pipe or a file. */
export function listWidth({ screen }: Pick<Output, 'screen'>): number | undefined {
  return screen === undefined ? undefined : Math.max(screen.size().columns, MIN_TERMINAL_WIDTH);
}

const MIN_TERMINAL_WIDTH = 40;
