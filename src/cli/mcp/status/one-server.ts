import { AppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { Environment } from '../../../config/files/folders.ts';
import { formatLocation, formatProblem } from '../../../config/problem.ts';
import { unknownServer } from '../../../config/unknown-server.ts';
import { type ConfiguredRow, type ConfiguredServers, readConfigured } from './configured.ts';
import { configLines, type DetailOfRunning, detailLines, labeledLines, stateLines } from './detail.ts';
import { type QueryResult, queryServer, type RunningDetail } from './query.ts';
import { readSignIn, readSignInOfRunning, signInLines } from './sign-in.ts';
import { isUnresponsive, notRunningNote, queryFailureText, type StatusSnapshot, warningsOf } from './snapshot.ts';

/** Reads one server from each instance that runs it; otherwise from the config. Throws when the id is unknown. */
export async function readServerStatus(
  id: string,
  environment: Environment,
  signal?: AbortSignal,
): Promise<StatusSnapshot> {
  const queried = await queryServer(id, environment, signal);
  const details = await Promise.all(queried.responses.map((answer) => withSignIn(answer, environment)));
  const known = details.flat();
  return known.length > 0 ? runningSnapshot(id, known, queried) : configuredSnapshot(id, queried, environment);
}

async function withSignIn(
  { status, server }: RunningDetail,
  environment: Environment,
): Promise<readonly DetailOfRunning[]> {
  if (server === undefined) return [];
  const hasFile = server.transport === 'http' && server.source !== 'command-line' && server.source !== 'program';
  const signIn = hasFile ? await readSignInOfRunning(server.id, status, environment) : undefined;
  return [{ status, server, signIn }];
}

function runningSnapshot(
  id: string,
  details: readonly DetailOfRunning[],
  queried: QueryResult<RunningDetail>,
): StatusSnapshot {
  const running = details.map(({ status, server, signIn }) => {
    const { servers: _, problems: __, ...who } = status;
    return { ...who, server, signIn: signIn ?? null };
  });
  return {
    document: { id, running, configured: null, failed: queried.failed, ignored: queried.ignored },
    lines: (width, now) =>
      details.flatMap((detail, index) => [...(index === 0 ? [] : ['']), ...detailLines(detail, { width, now })]),
    warnings: warningsOf(queried),
    isComplete: true,
  };
}

async function configuredSnapshot(
  id: string,
  queried: QueryResult<RunningDetail>,
  environment: Environment,
): Promise<StatusSnapshot> {
  const configured = await readConfigured(environment);
  const row = configured.servers.find((server) => server.id === id);
  if (row === undefined) throw unknownServerError(id, queried, configured);
  const { explainEntry } = await import('../../../config/entry/explain-entry.ts');
  const settings = (explainEntry(configured.definitions, id)?.values ?? []).map(({ key, shown, file, line }) => ({
    ...{ key, value: shown, place: formatLocation(file, line) },
  }));
  const signIn = await readSignIn(id, configured.definitions, environment);
  const { failed, ignored } = queried;
  return {
    document: { id, running: [], configured: { ...row, settings, signIn: signIn ?? null }, failed, ignored },
    lines: (width, now) => [
      quoteIfNeeded(id),
      ...labeledLines(
        [
          ...stateLines(withStateText(row)),
          ...configLines({ ...row, settings }),
          ...(signIn === undefined ? [] : signInLines(signIn, now)),
        ],
        width,
      ),
    ],
    warnings: [
      ...warningsOf(queried),
      queried.responses.length === 0
        ? notRunningNote(queried)
        : `no running Switchboard process has ${quoteIfNeeded(id)}; showing its configuration`,
      ...configured.problems.map(formatProblem),
    ],
    isComplete: configured.isComplete,
  };
}

function withStateText(row: ConfiguredRow): Omit<ConfiguredRow, 'state'> & { readonly state: string } {
  return row.state === '-' ? { ...row, state: 'not running' } : row;
}

/** If an instance does not respond, it may have the server, so the id is not reported as a typing error. */
function unknownServerError(
  id: string,
  queried: QueryResult<RunningDetail>,
  { definitions }: ConfiguredServers,
): AppError {
  const unresponsive = queried.failed.find(isUnresponsive);
  if (unresponsive !== undefined) {
    const message = `No responding Switchboard process has ${quoteIfNeeded(id)}. ${queryFailureText(unresponsive)}`;
    return new AppError(unresponsive.code, message, { data: { server: id, pid: unresponsive.pid } });
  }
  const running = queried.responses.flatMap(({ status }) => status.servers);
  const ids = new Set([...running, ...definitions.servers].map((server) => server.id));
  return unknownServer(id, { ...definitions, servers: [...ids].map((known) => ({ id: known })) });
}
