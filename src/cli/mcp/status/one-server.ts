import { AppError } from '../../../base/errors.ts';
import { visibleWord } from '../../../base/text/visible-text.ts';
import type { Surroundings } from '../../../config/files/folders.ts';
import { describe, place } from '../../../config/problem.ts';
import { unknownServer } from '../config/unknown-server.ts';
import { type Configured, type ConfiguredRow, readConfigured } from './configured.ts';
import { configLines, type DetailOfRunning, detailLines, labelled, stateLines } from './detail.ts';
import { type Asked, askForServer, type RunningDetail } from './query.ts';
import { readSignIn, readSignInOf, signInLines } from './sign-in.ts';
import { complaintsOf, failedWords, isHanging, onlyConfigured, type Picture } from './snapshot.ts';

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
  const hasFile = server.transport === 'http' && server.source !== 'command-line' && server.source !== 'program';
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
    lines: (width, now) =>
      details.flatMap((detail, index) => [...(index === 0 ? [] : ['']), ...detailLines(detail, { width, now })]),
    complaints: complaintsOf(asked),
    isWhole: true,
  };
}

async function ofConfigured(id: string, asked: Asked<RunningDetail>, surroundings: Surroundings): Promise<Picture> {
  const configured = await readConfigured(surroundings);
  const row = configured.servers.find((server) => server.id === id);
  if (row === undefined) throw unknown(id, asked, configured);
  const { explainEntry } = await import('../../../config/entry/explain-entry.ts');
  const settings = (explainEntry(surroundings, id)?.values ?? []).map(({ key, shown, file, line }) => ({
    ...{ key, value: shown, place: place(file, line) },
  }));
  const signIn = await readSignIn(id, configured.definitions, surroundings);
  const { failed, ignored } = asked;
  return {
    document: { id, running: [], configured: { ...row, settings, signIn: signIn ?? null }, failed, ignored },
    lines: (width, now) => [
      visibleWord(id),
      ...labelled(
        [
          ...stateLines(withWords(row)),
          ...configLines({ ...row, settings }),
          ...(signIn === undefined ? [] : signInLines(signIn, now)),
        ],
        width,
      ),
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

/** Where somebody runs who does not answer, nobody knows whether he has it: that is no slip of the fingers. */
function unknown(id: string, asked: Asked<RunningDetail>, { definitions }: Configured): AppError {
  const silent = asked.failed.find(isHanging);
  if (silent !== undefined) {
    const message = `Nobody who answers has ${visibleWord(id)}. ${failedWords(silent)}`;
    return new AppError(silent.code, message, { data: { server: id, pid: silent.pid } });
  }
  const running = asked.answers.flatMap(({ status }) => status.servers);
  const ids = new Set([...running, ...definitions.servers].map((server) => server.id));
  return unknownServer(id, { ...definitions, servers: [...ids].map((known) => ({ id: known })) });
}
