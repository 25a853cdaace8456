import { truncateToWidth } from '../../../base/text/display-width.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import type { Environment } from '../../../config/files/folders.ts';
import { formatProblem } from '../../../config/problem.ts';
import type { RunningStatus, ServerSummary } from '../../../control/status/running-status.ts';
import type { Style } from '../../terminal/style.ts';
import { noServersLines } from '../no-servers.ts';
import { type ConfiguredRow, type ConfiguredServers, readConfigured } from './configured.ts';
import { headline } from './headline.ts';
import { httpLine } from './http-line.ts';
import { type QueryResult, queryAll } from './query.ts';
import { notRunningNote, type StatusSnapshot, warningsOf } from './snapshot.ts';
import { briefTable, serverTable, sessionTable } from './table.ts';

/** Reads all servers of every running instance; without one, the configured servers. */
export async function readAllStatus(environment: Environment, signal?: AbortSignal): Promise<StatusSnapshot> {
  const queried = await queryAll(environment, signal);
  return queried.responses.length > 0
    ? runningSnapshot(queried)
    : configuredSnapshot(queried, await readConfigured(environment));
}

function runningSnapshot(queried: QueryResult<RunningStatus>): StatusSnapshot {
  const { responses: running, failed, ignored } = queried;
  return {
    document: { running, configured: null, failed, ignored },
    lines: (width, now, style) =>
      running.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...block(one, { width, now, style })]),
    warnings: warningsOf(queried),
    isComplete: true,
    connected: new Set(running.flatMap(({ servers }) => servers.filter(isConnected).map(({ id }) => id))),
  };
}

function isConnected({ state }: ServerSummary): boolean {
  return state === 'ready' || state === 'degraded';
}

interface BlockFormat {
  readonly width: number | undefined;
  readonly now: number;
  readonly style: Style | undefined;
}

function block(status: RunningStatus, { width, now, style }: BlockFormat): readonly string[] {
  const narrow = (line: string) => (width === undefined ? line : truncateToWidth(line, width));
  return [
    narrow(headline(status, now)),
    ...(status.http === undefined ? [] : [narrow(httpLine(status.http))]),
    ...content(status, width, style),
    ...status.problems.map((problem) => narrow(`problem: ${oneLine(problem)}`)),
  ];
}

function content(
  { role, servers, sessions = [] }: RunningStatus,
  width: number | undefined,
  style: Style | undefined,
): readonly string[] {
  if (role === 'codex') return sessions.length === 0 ? ['no sessions'] : sessionTable(sessions, width);
  return servers.length === 0 ? noServersLines() : serverTable(servers, width, style);
}

function configuredSnapshot(
  queried: QueryResult<RunningStatus>,
  { servers, problems, isComplete }: ConfiguredServers,
): StatusSnapshot {
  const { failed, ignored } = queried;
  const isEmpty = servers.length === 0;
  return {
    document: { running: [], configured: { servers, problems }, failed, ignored },
    lines: (width, _, style) => {
      if (!isEmpty) return serverTable(servers, width, style);
      return isComplete ? noServersLines() : ['no server could be read'];
    },
    ...(isEmpty ? {} : { briefLines: (width, _, style) => briefTable(servers.map(withoutProblem), width, style) }),
    warnings: [
      ...warningsOf(queried),
      // Without any server nothing could run.
      ...(isEmpty && isComplete ? [] : [notRunningNote(queried)]),
      ...problems.map(formatProblem),
    ],
    isComplete: isComplete,
  };
}

/** Keeps the notes of servers that are off on purpose. */
function withoutProblem({ note, next, ...row }: ConfiguredRow): ConfiguredRow {
  const isProblem = row.enabled || row.state === 'error';
  return {
    ...row,
    ...(isProblem || note === undefined ? {} : { note }),
    ...(isProblem || next === undefined ? {} : { next }),
  };
}
