import { neutralise, oneLine } from '../base/text.ts';
import { commandFor } from '../config/next-command.ts';
import { describe } from '../config/problem.ts';
import type { LoadedConfig } from '../config/server-entry.ts';
import type { StartFailure } from '../upstream/failure-cache.ts';
import { USUAL_INSTRUCTIONS } from './greeting.ts';
import type { Member } from './member.ts';

/** Of what we say ourselves, and of all servers together: Codex shows them with every search for tools. */
const MAX_OWN_LENGTH = 600;
const MAX_LENGTH = 4_000;
/** Of one server. */
const MAX_SERVER_LENGTH = 1_000;
const MAX_LINE_LENGTH = 120;

/**
 * What a client is told: first our own words, with failed and untrusted servers, then the instructions of each server
 * under its id, as far as they are known. Those of a pinned server are left out: nobody has approved them.
 */
export function mergeInstructions(
  members: readonly Member[],
  { servers, problems }: LoadedConfig,
  redact: (text: string) => string,
): string {
  const untrusted = servers
    .filter(({ verdict }) => verdict.kind === 'disabled' && verdict.isUntrusted)
    .map(({ id }) => id);
  const notice =
    untrusted.length === 0 ? [] : [`Not started because untrusted: ${untrusted.join(', ')}. Run: switchboard trust`];
  const lines = [
    USUAL_INSTRUCTIONS,
    ...problems.map((problem) => oneLine(describe(problem), MAX_LINE_LENGTH * 2)),
    ...notice.map((line) => oneLine(line, MAX_LINE_LENGTH * 2)),
    ...failureLine('Failed to start', members, ({ code }) => code !== 'REQUEST_FAILED'),
    ...warmLine(members, servers),
    ...failureLine('Degraded', members, ({ code }) => code === 'REQUEST_FAILED'),
  ];
  const own = firstLines(lines, MAX_OWN_LENGTH);
  return firstLines([own, ...members.flatMap((member) => serverInstructions(member, redact))], MAX_LENGTH);
}

/** One line that names the servers whose start failure passes the filter. No line if there are none. */
function failureLine(
  label: string,
  members: readonly Member[],
  isIncluded: (failure: StartFailure) => boolean,
): readonly string[] {
  const failures = members.flatMap(({ upstream: { id, startFailure } }) =>
    startFailure !== undefined && isIncluded(startFailure)
      ? oneLine(`${id} (${startFailure.message})`, MAX_LINE_LENGTH)
      : [],
  );
  return failures.length === 0 ? [] : [oneLine(`${label}: ${failures.join(', ')}`, MAX_LINE_LENGTH * 2)];
}

/** How a server that starts more slowly than its clients wait is cached. */
function warmLine(members: readonly Member[], servers: LoadedConfig['servers']): readonly string[] {
  const isSlow = ({ upstream }: Member) => upstream.startFailure?.code === 'TIMED_OUT';
  const ids = members.filter(isSlow).map(({ entry }) => entry.id);
  const slow = servers.find(({ id, origin }) => ids.includes(id) && origin.layer !== 'command-line');
  return slow === undefined ? [] : [`If a server is only slow to start, run: ${commandFor('warm', slow.origin)}`];
}

/** Further lines are indented, so that no server can speak in the name of another one. */
function serverInstructions({ upstream, entry }: Member, redact: (text: string) => string): readonly string[] {
  const written = entry.pin ? undefined : upstream.facts?.instructions;
  if (written === undefined || written.trim() === '') return [];
  // Cut before it is read through: a server may send megabytes.
  const text = neutralise(redact(written.slice(0, MAX_SERVER_LENGTH * 4)), { multiline: true });
  const [first = '', ...more] = text.split(LINE_BREAK).flatMap((line) => line.trimEnd() || []);
  const whole = [`${upstream.id}: ${first.trim()}`, ...more.map((line) => `  ${line}`)].join('\n');
  if (whole.length <= MAX_SERVER_LENGTH) return [whole];
  return [`${whole.slice(0, MAX_SERVER_LENGTH - 1).replace(HALF_A_PAIR, '')}…`];
}

const HALF_A_PAIR = /[\ud800-\udbff]$/;
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** As many of them as there is room for, each whole. */
function firstLines(lines: readonly string[], maxLength: number): string {
  let text = '';
  for (const line of lines) {
    const longer = text === '' ? line : `${text}\n${line}`;
    if (longer.length > maxLength) continue;
    text = longer;
  }
  return text;
}
