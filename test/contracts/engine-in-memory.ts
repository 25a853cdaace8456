import type { AppError } from '../../src/base/errors.ts';
import type {
  Engine,
  EngineListener,
  OpenedSession,
  TurnEnd,
  TurnPermissions,
  TurnRef,
} from '../../src/codex/engine.ts';
import { unknownSession } from '../../src/codex/sessions/session-errors.ts';
import type { StoredSession, StoredTurn } from '../../src/codex/storage/stored-session.ts';

/** An engine without Codex, for tests of the layers above. Turns start immediately and end when the test says so. */
export interface MemoryEngine extends Engine {
  /** The calls it received, oldest first: the function name and an argument that identifies the call. */
  readonly asked: string[];
  readonly listener: EngineListener;
  end(turn: TurnRef, end?: TurnEnd): void;
}

export interface MemoryEngineOptions {
  /** Sessions that exist from the start. */
  readonly stored?: readonly StoredSession[];
  /** Overrides for this engine. */
  readonly over?: Partial<Engine>;
}

/** A listener that ignores events and rejects approval requests. */
export const SILENT_LISTENER: EngineListener = {
  event: () => {},
  approvalRequested: () => Promise.reject(new Error('nobody answers')),
  approvalsWithdrawn: () => {},
  crashed: () => {},
};

const FOLDER = '/project';

export function createMemoryEngine(listener: EngineListener, options: MemoryEngineOptions = {}): MemoryEngine {
  const stored = new Map((options.stored ?? []).map((session) => [session.sessionId, session]));
  const asked: string[] = [];
  let sessions = 0;
  let turns = 0;

  const add = (cwd = FOLDER): OpenedSession => {
    const sessionId = `session-${++sessions}`;
    stored.set(sessionId, { sessionId, timestamp: '2026-01-01T00:00:00.000Z', turns: [] });
    return { sessionId, cwd };
  };
  const known = (sessionId: string): StoredSession => {
    const session = stored.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    return session;
  };
  const begin = (sessionId: string): TurnRef => {
    const turn = { sessionId, turnId: `turn-${++turns}` };
    listener.event(sessionId, { kind: 'turn-started', turnId: turn.turnId });
    return turn;
  };
  const end = ({ sessionId, turnId }: TurnRef, how: TurnEnd = { status: 'completed', lastMessage: 'Done.' }) =>
    listener.event(sessionId, { kind: 'turn-ended', turnId, end: how });

  const engine: Engine = {
    name: 'app-server',
    unsupported: {},
    async start({ settings, turn, input, onTurnReady, beforeTurn, signal }) {
      asked.push(`start ${input.text}`);
      const session = add(settings.cwd);
      signal?.throwIfAborted();
      await beforeTurn?.(permissionsOf(turn.sandbox ?? session.sandbox, session.cwd));
      onTurnReady(session);
      return begin(session.sessionId);
    },
    async say({ sessionId, turn, input, beforeTurn, signal }) {
      asked.push(`say ${input.text}`);
      known(sessionId);
      signal?.throwIfAborted();
      await beforeTurn?.(permissionsOf(turn.sandbox, FOLDER));
      return begin(sessionId);
    },
    steer: async ({ turnId }, { text }) => void asked.push(`steer ${turnId} ${text}`),
    async interrupt(turn) {
      asked.push(`interrupt ${turn.turnId}`);
      end(turn, { status: 'interrupted' });
    },
    stopCommands: async (sessionId) => void asked.push(`stopCommands ${sessionId}`),
    killIfUnresponsive: async () => false,
    async fork({ sessionId, settings }) {
      asked.push(`fork ${sessionId}`);
      known(sessionId);
      return { ...add(settings.cwd), forkedFrom: sessionId };
    },
    async review(sessionId, target) {
      asked.push(`review ${target.type}`);
      return begin(sessionId);
    },
    async open({ cwd }, { beforeTurn, signal } = {}) {
      asked.push('open');
      const session = add(cwd);
      await beforeTurn?.(permissionsOf(session.sandbox, session.cwd));
      signal?.throwIfAborted();
      return session;
    },
    list: async ({ limit }) => ({ sessions: [...stored.values()].slice(0, limit) }),
    async read({ sessionId, limit, cursor = '0' }) {
      const session = known(sessionId);
      const last = session.turns.length - Number(cursor);
      const first = Math.max(0, last - limit);
      const rest = first > 0 ? { nextCursor: String(session.turns.length - first) } : {};
      return { ...session, turns: session.turns.slice(first, last), ...rest };
    },
    models: async () => [],
    rateLimits: async () => ({}),
    close: async () => void asked.push('close'),
  };
  return { ...engine, ...options.over, asked, listener, end };
}

/** Returns a stored session with these turns. */
export function storedSession(sessionId: string, turns: readonly StoredTurn[]): StoredSession {
  return { sessionId, timestamp: '2026-01-01T00:00:00.000Z', directory: FOLDER, turns };
}

/** Returns a function that always rejects with this error, for tests of a failing engine. */
export function refuseWith(error: AppError): () => Promise<never> {
  return () => Promise.reject(error);
}

function permissionsOf(sandbox: string | undefined, cwd: string): TurnPermissions {
  return { sandbox, cwd, writableRoots: [], tempFolders: [], hasNetwork: false };
}
