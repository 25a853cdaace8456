import type { ErrorCode } from '../../base/errors.ts';
import { neutralize, oneLine } from '../../base/text/safe-text.ts';
import { commandFor, loginCommand } from '../../config/next-command.ts';
import { formatProblem } from '../../config/problem.ts';
import type { LoadedConfig, ServerEntry } from '../../config/server-entry.ts';
import { plainTrustCommand } from '../../control/status/diagnosis.ts';
import { toPublicUri } from '../catalog/server-uri.ts';
import { defaultInstructions } from '../gateway-info.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { type Notice, noticeLines } from './notice-lines.ts';

/** The limits for our own text and for the whole instructions. Codex shows the instructions with every tool search. */
const MAX_OWN_LENGTH = 600;
const MAX_LENGTH = 4_000;
/** The limit for the instructions of one server. */
const MAX_SERVER_LENGTH = 1_000;
const MAX_PROBLEM_LENGTH = 240;

type Configured = LoadedConfig['servers'];

/**
 * Returns the instructions for a client: first our own text with the missing servers, then the known instructions of
 * each server under its id. The instructions of pinned servers are left out, because nobody has approved them.
 */
export function mergeInstructions(
  servers: readonly GatewayServer[],
  { servers: configured, problems }: LoadedConfig,
  { hasPrefix, redactor: { redact } }: InstructionOptions,
): string {
  const defaults = defaultInstructions({ hasPrefix });
  const problemLines = problems.map((problem) => oneLine(formatProblem(problem), MAX_PROBLEM_LENGTH));
  // Server ids have priority over the first config problem, which has priority over the reasons of servers.
  const usedLength = [defaults, ...problemLines.slice(0, 1), ''].join('\n').length;
  const notices = noticeLines(noticesOf(servers, configured), MAX_OWN_LENGTH - usedLength);
  const ownText = firstLines([defaults, ...notices, ...problemLines], MAX_OWN_LENGTH);
  return firstLines(
    [ownText, ...servers.flatMap((server) => serverInstructions(server, { hasPrefix, redact }))],
    MAX_LENGTH,
  );
}

export interface InstructionOptions {
  readonly hasPrefix: boolean;
  /** Masks secrets in text from servers. */
  readonly redactor: { readonly redact: (text: string) => string };
}

/** Returns which servers' tools are missing and why, most important first. */
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
      end: `. Run: ${plainTrustCommand()}`,
    },
    { label: 'Degraded', servers: failures.filter(({ code }) => code === 'REQUEST_FAILED') },
  ];
}

/** Returns the hint for caching a server whose start takes longer than its clients wait. */
function warmHint(failed: readonly { readonly entry: ServerEntry; readonly code: ErrorCode }[]): string {
  const slow = failed.find(({ code, entry }) => code === 'TIMED_OUT' && entry.origin.layer !== 'command-line');
  return slow === undefined ? '' : `. If a server is only slow, run: ${commandFor('warm', slow.entry.origin)}`;
}

/** Formats the instructions of a server. Further lines are indented, so that no server can impersonate another one. */
function serverInstructions(
  { upstream, entry }: GatewayServer,
  { hasPrefix, redact }: { readonly hasPrefix: boolean; readonly redact: (text: string) => string },
): readonly string[] {
  const written = entry.pin ? undefined : upstream.initializeResult?.instructions;
  if (written === undefined || written.trim() === '') return [];
  // Truncated before processing, because a server may send megabytes.
  const text = neutralize(redact(written.slice(0, MAX_SERVER_LENGTH * 4)), { multiline: true });
  // Instructions may refer to skills, which clients request under their public URIs.
  const publicText = hasPrefix ? text.replaceAll(SKILL_SCHEME, () => toPublicUri(upstream.id, 'skill://')) : text;
  const [first = '', ...more] = publicText.split(LINE_BREAK).flatMap((line) => line.trimEnd() || []);
  const whole = [`${upstream.id}: ${first.trim()}`, ...more.map((line) => `  ${line}`)].join('\n');
  if (whole.length <= MAX_SERVER_LENGTH) return [whole];
  return [`${whole.slice(0, MAX_SERVER_LENGTH - 1).replace(TRAILING_HIGH_SURROGATE, '')}…`];
}

const SKILL_SCHEME = /\bskill:\/\//g;
const TRAILING_HIGH_SURROGATE = /[\ud800-\udbff]$/;
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** Joins the lines that fit within `maxLength`. Lines are never truncated. */
function firstLines(lines: readonly string[], maxLength: number): string {
  let text = '';
  for (const line of lines) {
    const longer = text === '' ? line : `${text}\n${line}`;
    if (longer.length > maxLength) continue;
    text = longer;
  }
  return text;
}
