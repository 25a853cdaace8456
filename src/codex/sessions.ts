import { AppError, isAppError, messageOf } from '../base/errors.ts';
import { type Answered, Approvals } from './approvals.ts';
import type { Asker } from './asker.ts';
import type {
  Engine,
  EngineListener,
  OpenedSession,
  ReviewTarget,
  SessionSettings,
  TurnInput,
  TurnSettings,
} from './engine.ts';
import { type Interrupted, interrupt } from './interrupt.ts';
import type { QueuedMessage, Session } from './session.ts';
import { SessionRoster } from './session-roster.ts';

export interface SessionsOptions {
  readonly createEngine: (listener: EngineListener) => Engine;
  /** How many sessions may have a running turn. */
  readonly maxSessions: number;
  /** How many events a session remembers. */
  readonly maxEvents: number;
  readonly approvalTimeoutMs: number;
  readonly log: SessionsLog;
  /** Hears every notification of the engine as it came. */
  readonly onNotified?: NonNullable<EngineListener['notified']>;
}

export interface SessionsLog {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
}

/** Whoever drives a turn: may be asked, and may give up before it has begun. */
export interface Driver {
  readonly asker: Asker | undefined;
  readonly signal?: AbortSignal;
  /** Looks at what Codex has opened, before a turn begins in it; none does when it throws. */
  readonly check?: (opened: OpenedSession) => void;
  /** Called as soon as it is known which session it is, before anything is heard of it. */
  readonly onSession?: (session: Session) => void;
}

export interface SayOptions extends Driver {
  readonly onBusy: 'error' | 'steer' | 'queue';
  readonly onConflict: 'error' | 'fork';
}

export interface Said {
  readonly session: Session;
  readonly how: 'started' | 'steered' | 'queued' | 'forked';
}

const MAX_QUEUED = 20;

/** All sessions that this server drives, on one engine. */
export class Sessions {
  readonly engine: Engine;
  readonly roster: SessionRoster;
  readonly #approvals: Approvals;
  readonly #log: SessionsLog;

  constructor(options: SessionsOptions) {
    const { log, onNotified } = options;
    this.#log = log;
    this.roster = new SessionRoster(options);
    this.#approvals = new Approvals({
      timeoutMs: options.approvalTimeoutMs,
      tell: (session, text) => this.#steer(session, { text, images: [] }),
      log,
    });
    this.engine = options.createEngine({
      event: (sessionId, event) => {
        const session = this.roster.find(sessionId);
        session?.apply(event);
        if (event.kind === 'turn-ended' && session?.isRunning === false) this.#sendQueued(session);
      },
      question: (sessionId, asked) => {
        const session = this.roster.find(sessionId);
        if (session === undefined) return asked.answer(asked.question.refusal);
        this.#approvals.add(session, asked);
      },
      fell: (reason) => this.#fell(reason),
      ...(onNotified === undefined ? {} : { notified: onNotified }),
    });
  }

  async start(settings: SessionSettings, turn: TurnSettings, input: TurnInput, driver: Driver): Promise<Session> {
    const release = this.roster.reserve();
    let session: Session | undefined;
    const onOpened = (opened: OpenedSession) => {
      driver.check?.(opened);
      release();
      session = this.roster.adopt(opened, settings);
      this.#drive(session, driver);
    };
    try {
      const { sessionId, turnId } = await this.engine.start({ settings, turn, input, onOpened, ...signalOf(driver) });
      const started = this.roster.get(sessionId);
      started.apply({ kind: 'turn-started', turnId });
      return started;
    } catch (error) {
      if (session !== undefined) this.#undo(session);
      throw error;
    } finally {
      release();
    }
  }

  async say(sessionId: string, turn: TurnSettings, input: TurnInput, options: SayOptions): Promise<Said> {
    const message: QueuedMessage = { input, turn };
    const known = this.roster.find(sessionId);
    if (known?.isRunning === true) return this.#sayToBusy(known, message, options);
    this.roster.refuseWhenFull();
    const session = known ?? this.roster.adopt({ sessionId, cwd: '' }, {});
    try {
      await this.#beginTurn(session, message, options);
      return { session, how: 'started' };
    } catch (error) {
      const isHeld = isAppError(error) && error.code === 'SESSION_HELD';
      if (!isHeld || options.onConflict !== 'fork') throw error;
      return this.#sayInFork(session, message, options);
    }
  }

  /** A new session that knows what this one does, and has no turn yet. */
  async fork(sessionId: string, settings: SessionSettings, lastTurnId?: string): Promise<Session> {
    const all = { ...this.roster.find(sessionId)?.settings, ...settings };
    const request = { sessionId, settings: all, ...(lastTurnId === undefined ? {} : { lastTurnId }) };
    return this.roster.adopt(await this.engine.fork(request), all);
  }

  /** Codex's own review, as a turn of a new session. */
  async review(settings: SessionSettings, target: ReviewTarget, driver: Driver): Promise<Session> {
    const release = this.roster.reserve();
    try {
      const session = this.roster.adopt(await this.engine.open(settings), settings);
      release();
      this.#drive(session, driver);
      await this.engine.review(session.id, target).catch((error) => {
        this.#undo(session);
        throw error;
      });
      return session;
    } finally {
      release();
    }
  }

  respond(sessionId: string, approvalId: string, answers: readonly string[]): Promise<Answered> {
    return this.#approvals.answer(this.roster.get(sessionId), approvalId, answers);
  }

  /** Asks what nobody has been asked yet, through a call that happens to be open. */
  askThrough(session: Session, asker: Asker): void {
    this.#approvals.askThrough(session, asker);
  }

  /** Ends the running turn and the commands of the session, within five seconds. */
  interrupt(sessionId: string): Promise<Interrupted> {
    return interrupt(this.roster.get(sessionId), { engine: this.engine, approvals: this.#approvals, log: this.#log });
  }

  async close(): Promise<void> {
    for (const session of this.roster.running()) this.#approvals.cancelAll(session);
    await this.engine.close();
  }

  #drive(session: Session, driver: Driver): void {
    session.begin();
    session.asker = driver.asker;
    driver.onSession?.(session);
  }

  #undo(session: Session): void {
    session.undoBegin();
    this.roster.drop(session);
  }

  async #beginTurn(session: Session, message: QueuedMessage, driver: Driver): Promise<void> {
    this.#drive(session, driver);
    const { settings, id: sessionId } = session;
    try {
      const { turnId } = await this.engine.say({
        sessionId,
        settings,
        ...message,
        ...checkOf(driver),
        ...signalOf(driver),
      });
      // Codex keeps them for the turns that follow, and so do we for a session that has to be resumed.
      const { outputSchema: _, effort, ...shown } = message.turn;
      session.settings = { ...session.settings, ...shown, ...(effort === undefined ? {} : { effort }) };
      session.opened = { ...session.opened, ...shown };
      session.apply({ kind: 'turn-started', turnId });
    } catch (error) {
      this.#undo(session);
      throw error;
    }
  }

  async #sayToBusy(session: Session, message: QueuedMessage, { onBusy }: SayOptions): Promise<Said> {
    if (onBusy === 'error') throw busy(session);
    if (onBusy === 'steer') {
      await this.#steer(session, message.input);
      return { session, how: 'steered' };
    }
    if (session.queue.length >= MAX_QUEUED)
      throw new AppError(
        'BUSY',
        `${MAX_QUEUED} messages wait for session ${session.id} already. Wait, or interrupt it.`,
      );
    session.queue.push(message);
    session.changed();
    return { session, how: 'queued' };
  }

  async #sayInFork(session: Session, message: QueuedMessage, driver: Driver): Promise<Said> {
    const forked = await this.fork(session.id, session.settings);
    driver.check?.(forked.opened);
    await this.#beginTurn(forked, message, driver);
    return { session: forked, how: 'forked' };
  }

  async #steer(session: Session, input: TurnInput): Promise<void> {
    const turnId = session.turn?.id;
    const problem = this.engine.cannot.steer;
    if (problem !== undefined) throw new AppError('REQUEST_FAILED', problem);
    if (!session.isRunning || turnId === undefined)
      throw new AppError('BUSY', 'The turn has not begun yet, or is over.', { data: { sessionId: session.id } });
    await this.engine.steer({ sessionId: session.id, turnId }, input);
  }

  #sendQueued(session: Session): void {
    const next = session.queue.shift();
    if (next === undefined) return;
    this.#beginTurn(session, next, { asker: session.asker }).catch((error) => {
      session.warn(`A queued message could not be sent: ${messageOf(error)}`);
      session.changed();
    });
  }

  #fell(reason: AppError): void {
    this.#log.warn(reason.message);
    for (const session of this.roster.running()) {
      session.queue.length = 0;
      session.endTurn({ status: 'failed', failure: { kind: 'engine', message: reason.message } });
    }
  }
}

function checkOf({ check }: Driver): { readonly onOpened?: (opened: OpenedSession) => void } {
  return check === undefined ? {} : { onOpened: check };
}

function signalOf({ signal }: Driver): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function busy(session: Session): AppError {
  const what = session.status === 'awaiting_approval' ? 'waits for an approval' : 'is busy with a turn';
  const text = `Session ${session.id} ${what}. Wait for it (codex_wait), end it (codex_interrupt), or say onBusy: "steer" or "queue".`;
  return new AppError('BUSY', text, { data: { sessionId: session.id, status: session.status } });
}
