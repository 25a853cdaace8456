import { programName } from '../../base/program-name.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { formatProblem } from '../../config/problem.ts';
import type { ConfigProblem } from '../../config/server-entry.ts';
import { plainTrustCommand, STILL_STARTING } from '../../control/status/diagnosis.ts';
import type { ServerStatus } from './server-status.ts';

/**
 * Returns a one-line summary for the user who started the gateway: the ready servers, and the others with their
 * reasons.
 */
export function summaryLine(
  servers: readonly SummarizedServer[],
  problems: readonly ConfigProblem[] = [],
  checkCommand = `${programName()} gateway --check`,
): string {
  const of = (state: ServerStatus['state']) => servers.filter((server) => server.state === state);
  const ready = of('ready').map(({ id }) => id);
  const started = `Started ${ready.length} child server(s)${ready.length === 0 ? '' : `: ${ready.join(', ')}`}`;
  const parts = [
    started,
    formatPart(
      'starting',
      servers.filter(isStarting).map(({ id }) => id),
    ),
    formatPart(
      'on demand',
      of('idle').map(({ id }) => id),
    ),
    formatPart(
      'failed',
      servers.filter(hasFailed).map(({ id, reason }) => `${id} (${oneLine(reason ?? 'unknown', MAX_REASON_LENGTH)})`),
    ),
    formatPart(
      'degraded',
      of('degraded').map(({ id, reason }) => `${id} (${oneLine(reason ?? 'unknown', MAX_REASON_LENGTH)})`),
    ),
    formatPart(
      'sign-in needed',
      of('auth_required').map(({ id }) => id),
    ),
    formatPart(
      'untrusted',
      servers.filter(({ next }) => next?.startsWith(plainTrustCommand())).map(({ id }) => id),
      ` (run: ${plainTrustCommand()})`,
    ),
    ...problems.map((problem) => `${formatProblem(problem)} (run: ${checkCommand})`),
  ];
  return oneLine(parts.filter((part) => part !== '').join('; '));
}

/** The part of a server's status that the summary needs. */
export type SummarizedServer = Pick<ServerStatus, 'id' | 'state' | 'reason' | 'next'>;

function isStarting({ state, reason }: SummarizedServer): boolean {
  return state === 'connecting' && (reason === undefined || reason.startsWith(STILL_STARTING));
}

/** A failed server that is being restarted counts as failed, because nothing waits for it. */
function hasFailed(server: SummarizedServer): boolean {
  return server.state === 'error' || (server.state === 'connecting' && !isStarting(server));
}

const MAX_REASON_LENGTH = 160;

function formatPart(what: string, names: readonly string[], next = ''): string {
  return names.length === 0 ? '' : `${what}: ${names.join(', ')}${next}`;
}
