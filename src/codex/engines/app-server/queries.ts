import { realpath } from 'node:fs/promises';
import { AppError } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import type { Engine, ModelInfo } from '../../engine.ts';
import { objectsOf } from '../../json-values.ts';
import { isAtLeast } from '../../locate/codex-version.ts';
import type {
  ListQuery,
  ReadQuery,
  SessionPage,
  StoredSession,
  StoredSessionInfo,
  StoredTurn,
  TranscriptEntry,
} from '../../storage/stored-session.ts';
import type { AppServerClient } from './client.ts';
import type { AppServerConnection } from './connection.ts';
import { toTurnEnd } from './protocol/events.ts';
import { isUnknownMethod } from './protocol/failures.ts';
import { toItem } from './protocol/items.ts';

export type Queries = Pick<Engine, 'list' | 'read' | 'models' | 'rateLimits'>;

export interface QueryClient extends Pick<AppServerClient, 'request' | 'requestForSession'> {
  connect(): Promise<Pick<AppServerConnection, 'version'>>;
}

/** All sources: by default, Codex leaves out sessions of its own `exec`. */
const ALL_SOURCES = ['cli', 'vscode', 'exec', 'appServer', 'unknown'];
/**
 * The first version known to filter a list by several folders and by text. 0.92 ignores both; 0.105 to 0.118 accept one
 * folder and refuse a list. The page of an older Codex is filtered here.
 */
const FILTERING_MINOR = 150;

/** Creates the read-only queries: stored sessions, models and limits. */
export function createQueries(client: QueryClient): Queries {
  return {
    async list(query) {
      const folders = query.workingDirectory === undefined ? undefined : await spellingsOf(query.workingDirectory);
      const { version } = await client.connect();
      const canFilter = version === undefined || isAtLeast(version, FILTERING_MINOR);
      const page = await client.request('thread/list', {
        limit: query.limit,
        cursor: query.cursor ?? null,
        sourceKinds: ALL_SOURCES,
        modelProviders: [],
        sortKey: 'updated_at',
        ...(folders === undefined ? {} : folderFilter(folders, canFilter)),
        ...(query.search === undefined ? {} : { searchTerm: query.search }),
      });
      return canFilter ? toPage(page) : filter(toPage(page), query, folders);
    },
    async read(query) {
      try {
        return await readPaged(client, query);
      } catch (error) {
        if (!isUnknownMethod(error)) throw error;
        return readWhole(client, query);
      }
    },
    async models() {
      const { data } = await client.request('model/list', { limit: 100 });
      return objectsOf(data).map(toModel);
    },
    async rateLimits() {
      const limits = await client.request('account/rateLimits/read', {});
      return isObject(limits['rateLimits']) ? limits['rateLimits'] : limits;
    },
  };
}

/** Returns the path as given and the real path: Codex compares paths as text, and stores the one that it was given. */
async function spellingsOf(folder: string): Promise<readonly string[]> {
  const real = await realpath(folder).catch(() => folder);
  return [...new Set([folder, real])];
}

/** Filters by one folder on every version. For several folders, an old Codex returns a page of all folders. */
function folderFilter(folders: readonly string[], canFilter: boolean): JsonObject {
  const [only, ...others] = folders;
  if (others.length === 0) return { cwd: only };
  return canFilter ? { cwd: folders } : {};
}

function toPage({ data, nextCursor }: JsonObject): SessionPage {
  const sessions = objectsOf(data).map(toInfo);
  return typeof nextCursor === 'string' ? { sessions, nextCursor } : { sessions };
}

/** Filters the page of an old Codex, which ignores unknown filters and returns everything. */
function filter(page: SessionPage, { search }: ListQuery, folders: readonly string[] | undefined): SessionPage {
  const sessions = page.sessions.filter(
    ({ directory, summary }) =>
      (folders === undefined || folders.includes(directory ?? '')) &&
      (search === undefined || (summary ?? '').toLowerCase().includes(search.toLowerCase())),
  );
  return { ...page, sessions };
}

function toInfo(thread: JsonObject): StoredSessionInfo {
  const { id, cwd, preview, name, updatedAt, createdAt, source } = thread;
  const seconds = Number(updatedAt ?? createdAt ?? 0);
  return {
    sessionId: String(id),
    timestamp: new Date(seconds * 1000).toISOString(),
    ...(typeof cwd === 'string' ? { directory: cwd } : {}),
    ...(typeof preview === 'string' && preview !== '' ? { summary: preview } : {}),
    ...(typeof name === 'string' ? { name } : {}),
    ...(source === undefined ? {} : { source: typeof source === 'string' ? source : JSON.stringify(source) }),
  };
}

async function readPaged(client: QueryClient, query: ReadQuery): Promise<StoredSession> {
  const { sessionId, cursor = null, limit } = query;
  const { thread } = await client.requestForSession(sessionId, 'thread/read', { includeTurns: false });
  const page = await client.requestForSession(sessionId, 'thread/turns/list', {
    limit,
    cursor,
    sortDirection: 'desc',
    itemsView: 'full',
  });
  const { nextCursor } = page;
  return {
    ...toInfo(isObject(thread) ? thread : { id: sessionId }),
    // Codex returns the newest turns first. Its next page has the earlier ones.
    turns: objectsOf(page['data']).map(toTurn).reverse(),
    ...(typeof nextCursor === 'string' ? { nextCursor } : {}),
  };
}

/** Reads from an old Codex, which returns all turns at once. The cursor is the number of newest turns to skip. */
async function readWhole(client: QueryClient, query: ReadQuery): Promise<StoredSession> {
  const { sessionId, cursor = '0', limit } = query;
  if (!/^\d{1,9}$/.test(cursor))
    throw new AppError(
      'BAD_ARGUMENTS',
      `Invalid cursor: ${cursor}. Use nextCursor of an earlier result, or leave it out.`,
    );
  const { thread } = await client.requestForSession(sessionId, 'thread/read', { includeTurns: true });
  const stored = isObject(thread) ? thread : { id: sessionId };
  const turns = objectsOf(stored['turns']).map(toTurn);
  const end = Math.max(0, turns.length - Number(cursor));
  const start = Math.max(0, end - limit);
  return {
    ...toInfo(stored),
    turns: turns.slice(start, end),
    ...(start > 0 ? { nextCursor: String(turns.length - start) } : {}),
  };
}

function toTurn(turn: JsonObject): StoredTurn {
  const end = toTurnEnd(turn);
  const entries = objectsOf(turn['items']).flatMap(toEntry);
  const turnId = String(turn['id']);
  if (turn['status'] === 'inProgress') return { turnId, status: 'running', entries };
  return { turnId, status: end.status, entries, ...(end.status === 'failed' ? { failure: end.failure } : {}) };
}

function toEntry(raw: JsonObject): readonly TranscriptEntry[] {
  if (raw['type'] === 'userMessage') {
    const texts = objectsOf(raw['content']).map(({ text, path }) => String(text ?? path ?? ''));
    return [{ role: 'user', type: 'user_message', text: texts.join('\n') }];
  }
  const item = toItem(raw, true);
  if (item === undefined) return [];
  const { type, text, summary, files } = item;
  return [{ role: 'codex', type, text: text ?? summary, ...(files === undefined ? {} : { files }) }];
}

function toModel(model: JsonObject): ModelInfo {
  const { id, displayName, description, isDefault, supportedReasoningEfforts, defaultReasoningEffort } = model;
  const efforts = objectsOf(supportedReasoningEfforts).map(({ reasoningEffort }) => String(reasoningEffort));
  return {
    id: String(id),
    name: String(displayName ?? id),
    description: String(description ?? ''),
    isDefault: isDefault === true,
    efforts,
    ...(typeof defaultReasoningEffort === 'string' ? { defaultEffort: defaultReasoningEffort } : {}),
  };
}
