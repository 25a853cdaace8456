import { randomHex } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';
import type { OpenedSession, SessionSettings } from '../engine.ts';
import { Session } from './session.ts';
import { sessionNotInThisServer } from './session-errors.ts';

/** So many sessions are remembered; of more, those that have been over for longest are left to Codex's own storage. */
const MAX_REMEMBERED = 1000;

/** Which sessions this server drives, and how many of them may run. */
export class SessionRegistry {
  readonly #sessions = new Map<string, Session>();
  readonly #listeners = new Set<(session: Session) => void>();
  readonly #limits: { readonly maxSessions: number; readonly maxEvents: number };
  /** Cursors of this run are told from those of another by it. */
  readonly #runId = randomHex(4);
  /** Starts whose session is not known yet: they count as running. */
  #starting = 0;

  constructor(limits: { readonly maxSessions: number; readonly maxEvents: number }) {
    this.#limits = limits;
  }

  find(sessionId: string): Session | undefined {
    return this.#sessions.get(sessionId);
  }

  /** Throws SESSION_NOT_FOUND for one that we do not drive. */
  get(sessionId: string): Session {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw sessionNotInThisServer(sessionId);
    return session;
  }

  all(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  running(): readonly Session[] {
    return this.all().filter(({ isRunning }) => isRunning);
  }

  add(opened: OpenedSession, settings: SessionSettings): Session {
    const session = new Session(opened, settings, { maxEvents: this.#limits.maxEvents, runId: this.#runId });
    this.#sessions.set(session.id, session);
    session.onChange(() => {
      for (const listener of this.#listeners) listener(session);
    });
    this.#evictOldest();
    return session;
  }

  /** For a session that came to nothing. */
  removeUnused(session: Session): void {
    if (session.turnCount === 0) this.#sessions.delete(session.id);
  }

  /** Throws BUSY when as many run as may; otherwise one more counts until the returned function is called. */
  reserve(): () => void {
    this.assertCapacity();
    this.#starting++;
    let isCounted = true;
    return () => {
      if (isCounted) this.#starting--;
      isCounted = false;
    };
  }

  assertCapacity(): void {
    const running = this.running();
    const { maxSessions } = this.#limits;
    if (running.length + this.#starting < maxSessions) return;
    const list = running.map(({ id, opened, status }) => `${id} (${status}, ${opened.cwd})`);
    if (this.#starting > 0) list.push(`${this.#starting} just starting`);
    const text = `The maximum number of sessions is already running (MAX_SESSIONS is ${maxSessions}). Wait for one of them or interrupt it: ${list.join('; ')}`;
    throw new AppError('BUSY', text, { data: { limit: maxSessions, sessionIds: running.map(({ id }) => id) } });
  }

  /** Called back after every change of any session; the returned function ends that. */
  onChange(listener: (session: Session) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #evictOldest(): void {
    if (this.#sessions.size <= MAX_REMEMBERED) return;
    const oldest = this.all().find(({ isRunning }) => !isRunning);
    if (oldest !== undefined) this.#sessions.delete(oldest.id);
  }
}
