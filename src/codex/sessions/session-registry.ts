import { randomHex } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';
import type { OpenedSession, SessionSettings } from '../engine.ts';
import { Session } from './session.ts';
import { sessionNotInThisServer } from './session-errors.ts';
import type { SessionCountLimits } from './sessions-options.ts';

/** The registry evicts the oldest idle session beyond this number; Codex's own storage still has it. */
const MAX_REMEMBERED = 1000;

/** The sessions of this server. Limits how many of them run at once. */
export class SessionRegistry {
  readonly #sessions = new Map<string, Session>();
  readonly #listeners = new Set<(session: Session) => void>();
  readonly #limits: SessionCountLimits;
  /** Distinguishes the cursors of this server run from those of another. */
  readonly #runId = randomHex(4);
  /** Starts that do not have a session yet. They count as running. */
  #starting = 0;

  constructor(limits: SessionCountLimits) {
    this.#limits = limits;
  }

  find(sessionId: string): Session | undefined {
    return this.#sessions.get(sessionId);
  }

  /** Throws SESSION_NOT_FOUND for a session that this server does not drive. */
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

  /** How many turns are running or starting. */
  get activeCount(): number {
    return this.running().length + this.#starting;
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

  /** Removes a session whose first turn did not start, unless a caller may still ask for it. */
  removeUnused({ id, turnCount, pendingApprovals, hadQueuedMessage }: Session): void {
    if (turnCount === 0 && pendingApprovals.length === 0 && !hadQueuedMessage) this.#sessions.delete(id);
  }

  /** Throws BUSY at the session limit. Otherwise counts one more session until the returned function is called. */
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
    const { maxSessions, countElsewhere } = this.#limits;
    const elsewhere = countElsewhere?.() ?? 0;
    if (this.activeCount + elsewhere < maxSessions) return;
    const list = running.map(({ id, opened, status }) => `${id} (${status}, ${opened.cwd})`);
    if (this.#starting > 0) list.push(`${this.#starting} just starting`);
    if (elsewhere > 0) list.push(`${elsewhere} of other clients`);
    const text = `The maximum number of sessions is already running (MAX_SESSIONS is ${maxSessions}). Wait for one of them or interrupt it: ${list.join('; ')}`;
    throw new AppError('BUSY', text, { data: { limit: maxSessions, sessionIds: running.map(({ id }) => id) } });
  }

  /** Calls the listener after every change of any session, until the returned function is called. */
  onChange(listener: (session: Session) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #evictOldest(): void {
    if (this.#sessions.size <= MAX_REMEMBERED) return;
    // An agent of an ended turn may still wait for an approval, which only its session knows.
    const oldest = this.all().find(({ isRunning, pendingApprovals }) => !isRunning && pendingApprovals.length === 0);
    if (oldest !== undefined) this.#sessions.delete(oldest.id);
  }
}
