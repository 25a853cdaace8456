import { AppError } from '../../base/errors.ts';
import type { Surroundings } from '../../config/folders.ts';
import { describe, place } from '../../config/problem.ts';
import { visibleWord } from '../../config/visible-text.ts';
import { type Asked, askForServer, type RunningDetail } from './mcp-status-ask.ts';
import { type Configured, type ConfiguredRow, readConfigured } from './mcp-status-configured.ts';
import { configLines, type DetailOfRunning, detailLines, labelled, stateLines } from './mcp-status-detail.ts';
import { complaintsOf, onlyConfigured, type Picture } from './mcp-status-picture.ts';
import { readSignIn, readSignInOf, signInLines } from './mcp-status-sign-in.ts';
import { unknownServer } from './mcp-unknown.ts';

/** One server, of each that runs it; where nobody does, what is configured. Throws when nobody knows it. */
export async function lookAtOne(id: string, surroundings: Surroundings, signal?: AbortSignal): Promise<Picture> {
  const asked = await askForServer(id, surroundings, signal);
  const details = await Promise.all(asked.answers.map((answer) => withSignIn(answer, surroundings)));
  const known = details.flat();
  return known.length > 0 ? ofRunning(id, known, asked) : ofConfigured(id, asked, surroundings);
}

async function withSignIn(
  { status, server }: RunningDetail,
  surroundings: Surroundings,
): Promise<readonly DetailOfRunning[]> {
  if (server === undefined) return [];
  const hasFile = server.transport === 'http' && server.source !== 'command-line';
  const signIn = hasFile ? await readSignInOf(server.id, status, surroundings) : undefined;
  return [{ status, server, signIn }];
}

function ofRunning(id: string, details: readonly DetailOfRunning[], asked: Asked<RunningDetail>): Picture {
  const running = details.map(({ status, server, signIn }) => {
    const { servers: _, problems: __, ...who } = status;
    return { ...who, server, signIn: signIn ?? null };
  });
  return {
    document: { id, running, configured: null, failed: asked.failed, ignored: asked.ignored },
    lines: (_, now) => details.flatMap((detail, index) => [...(index === 0 ? [] : ['']), ...detailLines(detail, now)]),
    complaints: complaintsOf(asked),
    isWhole: true,
  };
}

async function ofConfigured(id: string, asked: Asked<RunningDetail>, surroundings: Surroundings): Promise<Picture> {
  const configured = await readConfigured(surroundings);
  const row = configured.servers.find((server) => server.id === id);
  if (row === undefined) throw unknown(id, asked, configured);
  const { explainEntry } = await import('../../config/explain-entry.ts');
  const settings = (explainEntry(surroundings, id)?.values ?? []).map(({ key, shown, file, line }) => ({
    ...{ key, value: shown, place: place(file, line) },
  }));
  const signIn = await readSignIn(id, configured.definitions, surroundings);
  const { failed, ignored } = asked;
  return {
    document: { id, running: [], configured: { ...row, settings, signIn: signIn ?? null }, failed, ignored },
    lines: (_, now) => [
      visibleWord(id),
      ...labelled([
        ...stateLines(withWords(row)),
        ...configLines({ ...row, settings }),
        ...(signIn === undefined ? [] : signInLines(signIn, now)),
      ]),
    ],
    complaints: [
      ...complaintsOf(asked),
      asked.answers.length === 0
        ? onlyConfigured(asked)
        : `nothing that runs here has ${visibleWord(id)}; this is what is configured`,
      ...configured.problems.map(describe),
    ],
    isWhole: configured.isWhole,
  };
}

function withWords(row: ConfiguredRow): Omit<ConfiguredRow, 'state'> & { readonly state: string } {
  return row.state === '-' ? { ...row, state: 'not running' } : row;
}

/** One that was there a moment ago, and whose switchboard then fell silent, is no slip of the fingers. */
function unknown(id: string, { answers, failed }: Asked<RunningDetail>, { definitions }: Configured): AppError {
  const [silent] = failed;
  const running = answers.flatMap(({ status }) => status.servers);
  if (silent !== undefined && running.length === 0 && definitions.servers.length === 0)
    return new AppError(silent.code, silent.message, { data: { pid: silent.pid } });
  return unknownServer(id, { ...definitions, servers: [...running, ...definitions.servers] });
}
