import type { ErrorCode } from '../../base/errors.ts';
import { neutralise, oneLine } from '../../base/text/safe-text.ts';
import { commandFor, loginCommand } from '../../config/next-command.ts';
import { formatProblem } from '../../config/problem.ts';
import type { LoadedConfig, ServerEntry } from '../../config/server-entry.ts';
import { TRUST_COMMAND } from '../../control/status/diagnosis.ts';
import { defaultInstructions } from '../entry/gateway-info.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { type Notice, noticeLines } from './notice-lines.ts';

/** Of what we say ourselves, and of all servers together: Codex shows them with every search for tools. */
const MAX_OWN_LENGTH = 600;
const MAX_LENGTH = 4_000;
/** Of one server. */
const MAX_SERVER_LENGTH = 1_000;
const MAX_PROBLEM_LENGTH = 240;

type Configured = LoadedConfig['servers'];

/**
 * What a client is told: first our own words, with the servers that are missing, then the instructions of each server
 * under its id, as far as they are known. Those of a pinned server are left out: nobody has approved them.
 */
export function mergeInstructions(
  servers: readonly GatewayServer[],
  { servers: configured, problems }: LoadedConfig,
  { hasPrefix, redactor: { redact } }: InstructionOptions,
): string {
  const defaults = defaultInstructions({ hasPrefix });
  const problemLines = problems.map((problem) => oneLine(formatProblem(problem), MAX_PROBLEM_LENGTH));
  // Ids of servers matter more than a problem with a file, and that more than the reasons of servers.
  const usedLength = [defaults, ...problemLines.slice(0, 1), ''].join('\n').length;
  const notices = noticeLines(noticesOf(servers, configured), MAX_OWN_LENGTH - usedLength);
  const ownText = firstLines([defaults, ...notices, ...problemLines], MAX_OWN_LENGTH);
  return firstLines([ownText, ...servers.flatMap((server) => serverInstructions(server, redact))], MAX_LENGTH);
}

export interface InstructionOptions {
  readonly hasPrefix: boolean;
  /** Takes secrets out of what servers said. */
  readonly redactor: { readonly redact: (text: string) => string };
}

/** Whom a client misses tools of, and why: the most important first. */
function noticesOf(servers: readonly GatewayServer[], configured: Configured): readonly Notice[] {
  const failures = servers.flatMap(({ entry, upstream: { startFailure } }) =>
    startFailure === undefined ? [] : { entry, id: entry.id, code: startFailure.code, detail: startFailure.message },
  );
  const failed = failures.filter(({ code }) => code !== 'REQUEST_FAILED' && code !== 'SIGN_IN_NEEDED');
  return [
    {
      label: 'Sign-in needed',
      servers: failures
        .filter(({ code }) => code === 'SIGN_IN_NEEDED')
        .map(({ entry, id, detail }) => ({ id, detail: `run: ${loginCommand(entry, detail)}` })),
      isWhole: true,
    },
    { label: 'Failed to start', servers: failed, end: warmHint(failed) },
    {
      label: 'Invalid config entry',
      servers: configured.flatMap(({ id, verdict }) =>
        verdict.kind === 'error' ? { id, detail: verdict.reason } : [],
      ),
    },
    {
      label: 'Not started because untrusted',
      servers: configured.filter(({ verdict }) => verdict.kind === 'disabled' && verdict.isUntrusted),
      end: `. Run: ${TRUST_COMMAND}`,
    },
    { label: 'Degraded', servers: failures.filter(({ code }) => code === 'REQUEST_FAILED') },
  ];
}

/** How a server that starts more slowly than its clients wait is cached. */
function warmHint(failed: readonly { readonly entry: ServerEntry; readonly code: ErrorCode }[]): string {
  const slow = failed.find(({ code, entry }) => code === 'TIMED_OUT' && entry.origin.layer !== 'command-line');
  return slow === undefined ? '' : `. If a server is only slow, run: ${commandFor('warm', slow.entry.origin)}`;
}

/** Further lines are indented, so that no server can speak in the name of another one. */
function serverInstructions({ upstream, entry }: GatewayServer, redact: (text: string) => string): readonly string[] {
  const written = entry.pin ? undefined : upstream.initializeResult?.instructions;
  if (written === undefined || written.trim() === '') return [];
  // Cut before it is read through: a server may send megabytes.
  const text = neutralise(redact(written.slice(0, MAX_SERVER_LENGTH * 4)), { multiline: true });
  const [first = '', ...more] = text.split(LINE_BREAK).flatMap((line) => line.trimEnd() || []);
  const whole = [`${upstream.id}: ${first.trim()}`, ...more.map((line) => `  ${line}`)].join('\n');
  if (whole.length <= MAX_SERVER_LENGTH) return [whole];
  return [`${whole.slice(0, MAX_SERVER_LENGTH - 1).replace(TRAILING_HIGH_SURROGATE, '')}…`];
}

const TRAILING_HIGH_SURROGATE = /[\ud800-\udbff]$/;
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
