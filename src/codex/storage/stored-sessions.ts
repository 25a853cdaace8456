import { resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { unknownSession } from '../sessions/session-errors.ts';
import { findRolloutFile, isRelativePath, listRolloutFiles, type RolloutFile } from './rollout-files.ts';
import { type RolloutHead, readRolloutHead } from './rollout-head.ts';
import { readTurns } from './rollout-turns.ts';
import type { ListQuery, ReadQuery, SessionPage, StoredSession, StoredSessionInfo } from './stored-session.ts';

/** How many files one page may examine when few of them match. The cursor continues from there. */
const MAX_FILES_PER_PAGE = 1_000;
const MAX_SUMMARY_LENGTH = 200;
/** The maximum length of a caller's session id in a message. */
const MAX_DISPLAYED_ID = 80;

/** Lists the sessions in `$CODEX_HOME/sessions`, newest first, without Codex. Skips files that are not sessions. */
export async function listStoredSessions(codexHome: string, query: ListQuery): Promise<SessionPage> {
  const { cursor, limit } = query;
  if (cursor !== undefined && !isRelativePath(cursor)) throw badCursor();
  const sessions: StoredSessionInfo[] = [];
  let seen = 0;
  for await (const file of listRolloutFiles(codexHome, { after: cursor })) {
    seen += 1;
    const head = await readRolloutHead(file);
    if (head !== undefined && matches(head, query)) sessions.push(toInfo(file, head));
    if (sessions.length >= limit || seen >= MAX_FILES_PER_PAGE) return { sessions, nextCursor: file.relativePath };
  }
  return { sessions };
}

/** Reads the last turns of a session, or those before the cursor, without Codex. */
export async function readStoredSession(
  codexHome: string,
  query: ReadQuery,
  { isRunning = false }: { readonly isRunning?: boolean } = {},
): Promise<StoredSession> {
  const { cursor, limit } = query;
  if (cursor !== undefined && !/^\d{1,9}$/.test(cursor)) throw badCursor();
  const file = await requireRolloutFile(codexHome, query.sessionId);
  const head = await readRolloutHead(file);
  if (head === undefined) throw unknownSession(query.sessionId);
  const before = cursor === undefined ? undefined : Number(cursor);
  const { turns, first } = await readTurns({ codexHome, file, head, before, limit, isRunning });
  return { ...toInfo(file, head), turns, ...(first > 0 && { nextCursor: String(first) }) };
}

/** Returns the file of a session and its working folder. Throws SESSION_NOT_FOUND if it is not stored. */
export async function locateStoredSession(
  codexHome: string,
  sessionId: string,
): Promise<{ readonly file: string; readonly directory: string | undefined }> {
  const file = await requireRolloutFile(codexHome, sessionId);
  return { file: file.path, directory: (await readRolloutHead(file))?.directory };
}

async function requireRolloutFile(codexHome: string, sessionId: string): Promise<RolloutFile> {
  const file = await findRolloutFile(codexHome, sessionId);
  if (file === undefined) throw unknownSession(oneLine(sessionId, MAX_DISPLAYED_ID));
  return file;
}

function matches(head: RolloutHead, { workingDirectory, search }: ListQuery): boolean {
  const matchesFolder =
    workingDirectory === undefined ||
    (head.directory !== undefined && resolve(head.directory) === resolve(workingDirectory));
  const matchesSearch = search === undefined || (head.prompt ?? '').toLowerCase().includes(search.toLowerCase());
  return matchesFolder && matchesSearch;
}

function toInfo(file: RolloutFile, { directory, prompt, source, lastUsed }: RolloutHead): StoredSessionInfo {
  return {
    sessionId: file.sessionId,
    ...(directory !== undefined && { directory }),
    ...(prompt !== undefined && { summary: oneLine(prompt, MAX_SUMMARY_LENGTH) }),
    timestamp: lastUsed,
    ...(source !== undefined && { source }),
  };
}

function badCursor(): AppError {
  return new AppError('BAD_ARGUMENTS', 'Invalid cursor: leave it out to start from the beginning.');
}
