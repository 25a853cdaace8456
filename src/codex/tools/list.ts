import { resolve } from 'node:path';
import { oneLine } from '../../base/text/safe-text.ts';
import { isPathAllowed } from '../limits/operator-limits.ts';
import type { ServerContext } from '../server-context.ts';
import type { Session } from '../sessions/session.ts';
import { expandHome } from '../settings/check-paths.ts';
import type { StoredSessionInfo } from '../storage/stored-session.ts';
import { findHeldSessions } from '../storage/writer-locks.ts';
import { BOOLEAN, field, listOf, objectOf, READ_ONLY, STRING } from './schemas.ts';
import { type CodexTool, toStructuredResult } from './tool.ts';

interface ListArguments {
  readonly workingDirectory?: string;
  readonly limit?: number;
  readonly search?: string;
  readonly cursor?: string;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_SUMMARY = 200;

const SESSION_INFO = {
  sessionId: STRING,
  directory: STRING,
  summary: STRING,
  name: STRING,
  timestamp: STRING,
  source: STRING,
  isActive: BOOLEAN,
  activeStatus: STRING,
  heldElsewhere: field.flag('Open in another Codex: codex_say needs onConflict fork'),
};

export const listTool: CodexTool = {
  name: 'codex_list',
  definition: {
    title: 'List Codex sessions',
    description:
      'List all stored Codex sessions, most recent first, from this server, codex exec and the terminal. codex_say continues any of them.',
    input: {
      type: 'object',
      properties: {
        workingDirectory: STRING,
        limit: field.number('Default: 50'),
        search: field.text('Part of the name or first prompt (case-sensitive)'),
        cursor: field.text('nextCursor of an earlier result'),
      },
      additionalProperties: false,
    },
    output: objectOf({ sessions: listOf(SESSION_INFO, ['sessionId', 'timestamp', 'isActive']), nextCursor: STRING }, [
      'sessions',
    ]),
    annotations: READ_ONLY,
  },
  async run(args, _context, serverContext) {
    // The server has validated the arguments against the input schema.
    const { workingDirectory, search, cursor, limit = DEFAULT_LIMIT } = args as unknown as ListArguments;
    const { sessions, codexHome } = serverContext;
    // A folder that no longer exists may still have sessions.
    const folder =
      workingDirectory === undefined
        ? undefined
        : resolve(serverContext.cwd, expandHome(workingDirectory, serverContext.home));
    const count = Math.min(Math.max(1, Math.floor(limit)), MAX_LIMIT);
    const page = await sessions.engine.list({
      limit: count,
      ...(folder === undefined ? {} : { workingDirectory: folder }),
      ...(search === undefined ? {} : { search }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const held = await findHeldSessions(codexHome);
    const toEntry = (info: StoredSessionInfo) =>
      describe(info, sessions.registry.find(info.sessionId), held.has(info.sessionId));
    const { nextCursor } = page;
    const isFirst = cursor === undefined && search === undefined;
    const fresh = isFirst ? notYetListed(sessions.registry.running(), page.sessions, folder) : [];
    const visibleSessions = filterAllowed([...fresh, ...page.sessions], serverContext);
    return toStructuredResult({
      sessions: visibleSessions.map(toEntry),
      ...(nextCursor === undefined ? {} : { nextCursor }),
    });
  },
};

/** Returns sessions that have just been started. Codex lists a session only after it has stored its first turn. */
function notYetListed(
  running: readonly Session[],
  listed: readonly StoredSessionInfo[],
  folder: string | undefined,
): readonly StoredSessionInfo[] {
  const ids = new Set(listed.map(({ sessionId }) => sessionId));
  return running
    .filter(({ id, opened, turnCount }) => turnCount === 1 && !ids.has(id) && (folder ?? opened.cwd) === opened.cwd)
    .map(({ id, opened, turn }) => ({
      sessionId: id,
      directory: opened.cwd,
      timestamp: new Date(turn?.startedAt ?? Date.now()).toISOString(),
    }));
}

/** Hides sessions of other folders if the operator has named the folders. */
function filterAllowed(sessions: readonly StoredSessionInfo[], { operatorLimits }: ServerContext) {
  return sessions.filter(({ directory }) => isPathAllowed(operatorLimits, directory ?? ''));
}

function describe(info: StoredSessionInfo, session: Session | undefined, isHeld: boolean) {
  const { summary, name, ...rest } = info;
  return {
    ...rest,
    ...(summary === undefined ? {} : { summary: oneLine(summary, MAX_SUMMARY) }),
    ...(name === undefined ? {} : { name: oneLine(name, MAX_SUMMARY) }),
    isActive: session?.isRunning === true,
    ...(session === undefined ? {} : { activeStatus: session.status }),
    // A session that this server drives is held by its own Codex.
    ...(isHeld && session?.turn === undefined ? { heldElsewhere: true } : {}),
  };
}
