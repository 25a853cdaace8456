import { oneLine } from '../base/text.ts';
import { describe } from '../config/problem.ts';
import type { LoadedConfig } from '../config/server-entry.ts';
import { USUAL_INSTRUCTIONS } from './greeting.ts';
import type { Member } from './member.ts';

/** Codex repeats them for every tool, so they are short. */
const MAX_LENGTH = 600;
const MAX_LINE_LENGTH = 120;

/** One line a server, with what it says of itself once it is known, and a word about those that are not trusted. */
export function mergeInstructions(members: readonly Member[], { servers, problems }: LoadedConfig): string {
  const untrusted = servers
    .filter(({ verdict }) => verdict.kind === 'disabled' && verdict.isUntrusted)
    .map(({ id }) => id);
  const notice =
    untrusted.length === 0 ? [] : [`Not started because untrusted: ${untrusted.join(', ')}. Run: switchboard trust`];
  const known = members.filter(({ upstream }) => upstream.facts?.instructions !== undefined);
  const lines = [
    USUAL_INSTRUCTIONS,
    ...problems.map((problem) => oneLine(describe(problem), MAX_LINE_LENGTH * 2)),
    ...notice.map((line) => oneLine(line, MAX_LINE_LENGTH * 2)),
    ...known.map(({ upstream }) => oneLine(`${upstream.id}: ${upstream.facts?.instructions}`, MAX_LINE_LENGTH)),
  ];
  return firstLines(lines);
}

/** As many whole lines as there is room for. */
function firstLines(lines: readonly string[]): string {
  let text = '';
  for (const line of lines) {
    const longer = text === '' ? line : `${text}\n${line}`;
    if (longer.length > MAX_LENGTH) break;
    text = longer;
  }
  return text;
}
