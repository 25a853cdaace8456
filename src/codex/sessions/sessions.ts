import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import { type AnswerOutcome, Approvals } from '../approvals/approvals.ts';
import type { ApprovalPrompter } from '../approvals/prompter.ts';
import type { Engine, OpenedSession, ReviewTarget, SessionSettings, TurnInput, TurnSettings } from '../engine.ts';
import { FolderClaims } from '../limits/folder-claims.ts';
import { trackTurn } from '../working-tree/track-turn.ts';
import type { TrackedTree, TreeTracker } from '../working-tree/tree-tracker.ts';
import { type InterruptResult, interrupt } from './interrupt.ts';
import { dropQueue, queueMessage } from './message-queue.ts';
import type { QueuedMessage, Session } from './session.ts';
import { assertNoOverrides, sessionBusy } from './session-errors.ts';
import { SessionRegistry } from './session-registry.ts';
import type { SessionsLog, SessionsOptions } from './sessions-options.ts';
import type { ForkOptions, SayOptions, SayResult, TurnCaller } from './turn-caller.ts';
import { toTurnGuards } from './turn-guards.ts';

/** How long Codex has to interrupt a turn that was cancelled while it started. */
const INTERRUPT_TIMEOUT_MS = 5_000;

/** All sessions that this server drives, on one engine. */
export class Sessions {
  readonly engine: Engine;
  readonly registry: SessionRegistry;
  readonly #approvals: Approvals;
  readonly #log: SessionsLog;
  readonly #folderClaims: FolderClaims;
  readonly #treeTracker: TreeTracker | undefined;

  constructor(options: SessionsOptions) {
    const { log, onNotification } = options;
    this.#log = log;
    this.#folderClaims = new FolderClaims({
      ...(options.folderClaims ?? { isEnforced: false }),
      stopCommands: (sessionId) => this.engine.stopCommands(sessionId),
    });
    this.#treeTracker = options.treeTracker;
    this.registry = new SessionRegistry(options.limits);
    this.#approvals = new Approvals({
      ...options.approvals,
      sendToModel: (session, text) => this.#steer(session, { text, images: [] }),
      log,
    });
    this.engine = options.createEngine({
      event: (sessionId, event) => {
        const session = this.registry.find(sessionId);
        session?.apply(event);
        if (event.kind === 'turn-ended' || event.kind === 'item') this.#folderClaims.publish();
        if (event.kind === 'turn-ended' && session?.isRunning === false) this.#sendQueued(session);
      },
      approvalRequested: (sessionId, approval) => {
        const session = this.registry.find(sessionId);
        if (session === undefined) return Promise.resolve(approval.request.refusal);
        return this.#approvals.add(session, approval);
      },
      approvalsWithdrawn: (isWithdrawn) => {
        for (const session of this.registry.all()) this.#approvals.withdraw(session, isWithdrawn);
      },
      crashed: (reason) => this.#engineCrashed(reason),
      ...(onNotification === undefined ? {} : { notification: onNotification }),
    });
  }

  async start(settings: SessionSettings, turn: TurnSettings, input: TurnInput, caller: TurnCaller): Promise<Session> {
    const release = this.registry.reserve();
    const aborter = new AbortController();
    const claim = this.#folderClaims.createClaim();
    let session: Session | undefined;
    // Codex opens the session in the meantime. The turn starts when the snapshot is complete.
    const tracking = settings.cwd === undefined ? undefined : this.#treeTracker?.track(settings.cwd);
    let trackedTree: TrackedTree | undefined;
    const awaitSnapshot = async () => {
      trackedTree = await tracking;
    };
    const onOpened = (opened: OpenedSession) => {
      release();
      session = this.registry.add(opened, settings);
      claim.bind(session);
      this.#attachCaller(session, caller, aborter);
      if (session.turn !== undefined) session.turn.tree = trackedTree;
    };
    try {
      await claim.prepare([...(settings.cwd === undefined ? [] : [settings.cwd]), ...(settings.addDirs ?? [])]);
      const { sessionId, turnId } = await this.engine.start({
        settings,
        turn,
        input,
        onOpened,
        ...toTurnGuards(caller, aborter.signal, claim, awaitSnapshot),
      });
      const started = this.registry.get(sessionId);
      this.#turnBegan(started, turnId, aborter.signal);
      return started;
    } catch (error) {
      if (session !== undefined) this.#revertStart(session, aborter.signal);
      void tracking?.then((followed) => followed.freeze());
      throw error;
    } finally {
      release();
      claim.finishStart();
    }
  }

  async say(sessionId: string, turn: TurnSettings, input: TurnInput, options: SayOptions): Promise<SayResult> {
    const { check } = options;
    const message: QueuedMessage = { input, turn, ...(check === undefined ? {} : { check }) };
    const known = this.registry.find(sessionId);
    if (known?.isRunning === true) return this.#sayToBusy(known, message, options);
    this.registry.assertCapacity();
    const session = known ?? this.registry.add({ sessionId, cwd: '' }, options.settings ?? {});
    try {
      await this.#beginTurn(session, message, options);
      return { session, delivery: 'started' };
    } catch (error) {
      const isHeld = isAppError(error) && error.code === 'SESSION_HELD';
      if (!isHeld || options.onConflict !== 'fork') throw error;
      return this.#sayInFork(session, message, options);
    }
  }

  /** Creates a session with the history of another one and no turn of its own. */
  async fork(sessionId: string, { check, lastTurnId, settings: restored = {} }: ForkOptions): Promise<Session> {
    const { name: _, rawEvents: __, ...settings } = this.registry.find(sessionId)?.settings ?? restored;
    const request = { sessionId, settings, ...(lastTurnId === undefined ? {} : { lastTurnId }) };
    const opened = await this.engine.fork({ ...request, ...(check === undefined ? {} : { check }) });
    return this.registry.add(opened, settings);
  }

  /** Runs Codex's own review as a turn of a new session. */
  async review(settings: SessionSettings, target: ReviewTarget, caller: TurnCaller): Promise<Session> {
    const release = this.registry.reserve();
    const claim = this.#folderClaims.createClaim();
    try {
      await claim.prepare(settings.cwd === undefined ? [] : [settings.cwd]);
      const opened = await this.engine.open(settings, toTurnGuards(caller, new AbortController().signal, claim));
      const session = this.registry.add(opened, settings);
      release();
      claim.bind(session);
      this.#attachCaller(session, caller);
      const startSignal = session.startSignal;
      const { turnId } = await this.engine.review(session.id, target).catch((error) => {
        this.#revertStart(session, startSignal);
        throw error;
      });
      this.#turnBegan(session, turnId, startSignal);
      return session;
    } finally {
      release();
      claim.finishStart();
    }
  }

  respond(sessionId: string, approvalId: string, answers: readonly string[]): Promise<AnswerOutcome> {
    return this.#approvals.answer(this.registry.get(sessionId), approvalId, answers);
  }

  /** Sends the pending approvals that no prompter has shown yet to a prompter of a call that is in progress. */
  promptThrough(session: Session, prompter: ApprovalPrompter): void {
    this.#approvals.promptThrough(session, prompter);
  }

  /** Ends the running turn and the commands of the session, within five seconds. */
  interrupt(sessionId: string): Promise<InterruptResult> {
    const session = this.registry.get(sessionId);
    const others = () => this.registry.running().filter((other) => other !== session);
    const dependencies = { engine: this.engine, approvals: this.#approvals, others, log: this.#log };
    return interrupt(session, dependencies).finally(() => this.#folderClaims.publish());
  }

  async close(): Promise<void> {
    for (const session of this.registry.running()) this.#approvals.cancelAll(session);
    await this.engine.close();
    await this.#treeTracker?.close();
    this.#folderClaims.close();
  }

  /** Records the turn that Codex has begun, or interrupts it if it was cancelled in the meantime. */
  #turnBegan(session: Session, turnId: string, startSignal: AbortSignal): void {
    if (!startSignal.aborted) {
      session.apply({ kind: 'turn-started', turnId });
      return;
    }
    session.ignoreTurn(turnId);
    void this.engine
      .interrupt({ sessionId: session.id, turnId }, AbortSignal.timeout(INTERRUPT_TIMEOUT_MS))
      .catch(() => undefined);
  }

  #attachCaller(session: Session, caller: TurnCaller, startController?: AbortController): void {
    session.beginTurn(startController);
    session.prompter = caller.prompter;
    caller.onSession?.(session);
  }

  #revertStart(session: Session, startSignal: AbortSignal): void {
    // This start was cancelled in the meantime, and another turn has begun.
    if (session.startSignal !== startSignal) return;
    session.revertTurn();
    this.registry.removeUnused(session);
  }

  async #beginTurn(session: Session, message: QueuedMessage, caller: TurnCaller): Promise<void> {
    const previousTurn = session.turn;
    this.#attachCaller(session, caller);
    const { settings, id: sessionId } = session;
    const startSignal = session.startSignal;
    const claim = this.#folderClaims.createClaim(session);
    if (this.#treeTracker !== undefined)
      await trackTurn(session, { treeTracker: this.#treeTracker, engine: this.engine, previousTurn });
    const onOpened = (opened: OpenedSession) => {
      claim.bind(session);
      session.opened = { ...session.opened, ...opened };
    };
    try {
      await claim.prepare(session.opened.cwd === '' ? [] : [session.opened.cwd]);
      const { turnId } = await this.engine.say({
        sessionId,
        settings,
        ...message,
        onOpened,
        ...toTurnGuards(caller, startSignal, claim),
      });
      // Codex keeps these settings for later turns. Keep them here too, for when the session has to be resumed.
      const { outputSchema: _, effort, ...persistentSettings } = message.turn;
      session.settings = { ...session.settings, ...persistentSettings, ...(effort === undefined ? {} : { effort }) };
      session.opened = { ...session.opened, ...persistentSettings };
      this.#turnBegan(session, turnId, startSignal);
    } catch (error) {
      this.#revertStart(session, startSignal);
      throw error;
    } finally {
      claim.finishStart();
    }
  }

  async #sayToBusy(session: Session, message: QueuedMessage, { onBusy }: SayOptions): Promise<SayResult> {
    if (onBusy === 'error') throw sessionBusy(session);
    if (onBusy === 'steer') {
      assertNoOverrides(message.turn);
      await this.#steer(session, message.input);
      return { session, delivery: 'steered' };
    }
    return queueMessage(session, message);
  }

  async #sayInFork(session: Session, message: QueuedMessage, caller: TurnCaller): Promise<SayResult> {
    const release = this.registry.reserve();
    try {
      const forked = await this.fork(session.id, caller);
      release();
      await this.#beginTurn(forked, message, caller);
      return { session: forked, delivery: 'forked' };
    } finally {
      release();
    }
  }

  async #steer(session: Session, input: TurnInput): Promise<void> {
    const turnId = session.turn?.id;
    const problem = this.engine.unsupported.steer;
    if (problem !== undefined) throw new AppError('REQUEST_FAILED', problem);
    if (!session.isRunning || turnId === undefined)
      throw new AppError('BUSY', 'The turn has not begun yet, or is over.', { data: { sessionId: session.id } });
    await this.engine.steer({ sessionId: session.id, turnId }, input);
  }

  #sendQueued(session: Session): void {
    const next = session.queue.shift();
    if (next === undefined) return;
    this.#beginTurn(session, next, { ...next, prompter: session.prompter }).catch((error) => {
      session.warn(`A queued message could not be sent: ${messageOf(error)}`);
      this.#sendQueued(session);
      session.notifyChanged();
    });
  }

  #engineCrashed(reason: AppError): void {
    this.#log.warn(reason.message);
    for (const session of this.registry.all()) session.markCommandsEnded();
    for (const session of this.registry.running()) {
      dropQueue(session);
      const failed = { status: 'failed', failure: { kind: 'engine', message: reason.message } } as const;
      session.endTurn(session.isInterrupting ? { status: 'interrupted' } : failed);
    }
    this.#folderClaims.publish();
  }
}
