import { AppError, isAppError, messageOf } from '../base/errors.ts';
import { type Answered, type ApprovalOptions, Approvals } from './approvals.ts';
import type { Asker } from './asker.ts';
import type { Driver, ForkOptions, Said, SayOptions } from './driver.ts';
import type {
  Engine,
  EngineListener,
  OpenedSession,
  ReviewTarget,
  SayRequest,
  SessionSettings,
  TurnInput,
  TurnSettings,
} from './engine.ts';
import { type Interrupted, interrupt } from './interrupt.ts';
import { busySession, refuseOverrides } from './refusals.ts';
import type { QueuedMessage, Session } from './session.ts';
import { SessionRoster } from './session-roster.ts';

export interface SessionsOptions {
  readonly createEngine: (listener: EngineListener) => Engine;
  /** How many sessions may have a running turn. */
  readonly maxSessions: number;
  /** How many events a session remembers. */
  readonly maxEvents: number;
  readonly approvals: Pick<ApprovalOptions, 'timeoutMs' | 'deciders' | 'allowsPermanent'>;
  readonly log: SessionsLog;
  /** Hears every notification of the engine as it came. */
  readonly onNotified?: NonNullable<EngineListener['notified']>;
}

export interface SessionsLog {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
}

const MAX_QUEUED = 20;
/** How long Codex is asked to end a turn that nobody wants. */
const GIVE_UP_MS = 5_000;

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
      ...options.approvals,
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
    const aborter = new AbortController();
    let session: Session | undefined;
    const onOpened = (opened: OpenedSession) => {
      release();
      session = this.roster.adopt(opened, settings);
      this.#drive(session, driver, aborter);
    };
    try {
      const { sessionId, turnId } = await this.engine.start({
        settings,
        turn,
        input,
        onOpened,
        ...guardsOf(driver, aborter.signal),
      });
      const started = this.roster.get(sessionId);
      this.#begun(started, turnId, aborter.signal);
      return started;
    } catch (error) {
      if (session !== undefined) this.#undo(session, aborter.signal);
      throw error;
    } finally {
      release();
    }
  }

  async say(sessionId: string, turn: TurnSettings, input: TurnInput, options: SayOptions): Promise<Said> {
    const { check } = options;
    const message: QueuedMessage = { input, turn, ...(check === undefined ? {} : { check }) };
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
  async fork(sessionId: string, { check, lastTurnId }: ForkOptions): Promise<Session> {
    const { name: _, rawEvents: __, ...settings } = this.roster.find(sessionId)?.settings ?? {};
    const request = { sessionId, settings, ...(lastTurnId === undefined ? {} : { lastTurnId }) };
    const opened = await this.engine.fork({ ...request, ...(check === undefined ? {} : { check }) });
    return this.roster.adopt(opened, settings);
  }

  /** Codex's own review, as a turn of a new session. */
  async review(settings: SessionSettings, target: ReviewTarget, driver: Driver): Promise<Session> {
    const release = this.roster.reserve();
    try {
      const session = this.roster.adopt(await this.engine.open(settings), settings);
      release();
      this.#drive(session, driver);
      const start = session.startSignal;
      const { turnId } = await this.engine.review(session.id, target).catch((error) => {
        this.#undo(session, start);
        throw error;
      });
      this.#begun(session, turnId, start);
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

  /** Codex has begun a turn: it is the session's, unless somebody has given it up meanwhile. */
  #begun(session: Session, turnId: string, start: AbortSignal): void {
    if (!start.aborted) {
      session.apply({ kind: 'turn-started', turnId });
      return;
    }
    session.disown(turnId);
    void this.engine
      .interrupt({ sessionId: session.id, turnId }, AbortSignal.timeout(GIVE_UP_MS))
      .catch(() => undefined);
  }

  #drive(session: Session, driver: Driver, start?: AbortController): void {
    session.begin(start);
    session.asker = driver.asker;
    driver.onSession?.(session);
  }

  #undo(session: Session, start: AbortSignal): void {
    // Somebody has given it up meanwhile, and begun another.
    if (session.startSignal !== start) return;
    session.undoBegin();
    this.roster.drop(session);
  }

  async #beginTurn(session: Session, message: QueuedMessage, driver: Driver): Promise<void> {
    this.#drive(session, driver);
    const { settings, id: sessionId } = session;
    const start = session.startSignal;
    const onOpened = (opened: OpenedSession) => {
      session.opened = { ...session.opened, ...opened };
    };
    try {
      const { turnId } = await this.engine.say({
        sessionId,
        settings,
        ...message,
        onOpened,
        ...guardsOf(driver, start),
      });
      // Codex keeps them for the turns that follow, and so do we for a session that has to be resumed.
      const { outputSchema: _, effort, ...shown } = message.turn;
      session.settings = { ...session.settings, ...shown, ...(effort === undefined ? {} : { effort }) };
      session.opened = { ...session.opened, ...shown };
      this.#begun(session, turnId, start);
    } catch (error) {
      this.#undo(session, start);
      throw error;
    }
  }

  async #sayToBusy(session: Session, message: QueuedMessage, { onBusy }: SayOptions): Promise<Said> {
    if (onBusy === 'error') throw busySession(session);
    if (onBusy === 'steer') {
      refuseOverrides(message.turn);
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
    const takeBack = () => {
      const place = session.queue.indexOf(message);
      if (place !== -1) session.queue.splice(place, 1);
      session.changed();
    };
    return { session, how: 'queued', takeBack };
  }

  async #sayInFork(session: Session, message: QueuedMessage, driver: Driver): Promise<Said> {
    const release = this.roster.reserve();
    try {
      const forked = await this.fork(session.id, driver);
      release();
      await this.#beginTurn(forked, message, driver);
      return { session: forked, how: 'forked' };
    } finally {
      release();
    }
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
    this.#beginTurn(session, next, { ...next, asker: session.asker }).catch((error) => {
      session.warn(`A queued message could not be sent: ${messageOf(error)}`);
      this.#sendQueued(session);
      session.changed();
    });
  }

  #fell(reason: AppError): void {
    this.#log.warn(reason.message);
    for (const session of this.roster.running()) {
      if (session.queue.length > 0)
        session.warn(`Codex ended, and with it ${session.queue.length} queued message(s) were dropped.`);
      session.queue.length = 0;
      session.endTurn({ status: 'failed', failure: { kind: 'engine', message: reason.message } });
    }
  }
}

/** What may keep a turn from beginning. */
function guardsOf({ check, signal }: Driver, start: AbortSignal): Pick<SayRequest, 'check' | 'signal'> {
  return {
    ...(check === undefined ? {} : { check }),
    signal: signal === undefined ? start : AbortSignal.any([signal, start]),
  };
}
