import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import { omitUndefined } from '../../base/omit-undefined.ts';
import { type AnswerOutcome, Approvals } from '../approvals/approvals.ts';
import type { ApprovalPrompter } from '../approvals/prompter.ts';
import type { Engine, ReviewTarget, SessionSettings, TurnInput, TurnSettings } from '../engine.ts';
import { FolderClaims } from '../limits/folder-claims.ts';
import type { TreeTracker } from '../working-tree/tree-tracker.ts';
import { type InterruptResult, interrupt } from './interrupt.ts';
import { dropQueue, queueMessage } from './message-queue.ts';
import type { QueuedMessage, Session } from './session.ts';
import { assertNoOverrides, sessionBusy } from './session-errors.ts';
import { SessionRegistry } from './session-registry.ts';
import type { SessionsLog, SessionsOptions } from './sessions-options.ts';
import type { ForkOptions, SayOptions, SayResult, TurnCaller } from './turn-caller.ts';
import { TurnStarter } from './turn-starter.ts';

/** All sessions that this server drives, on one engine. */
export class Sessions {
  readonly engine: Engine;
  readonly registry: SessionRegistry;
  readonly #approvals: Approvals;
  readonly #log: SessionsLog;
  readonly #folderClaims: FolderClaims;
  readonly #treeTracker: TreeTracker | undefined;
  readonly #turnStarter: TurnStarter;

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
    this.#turnStarter = new TurnStarter({
      engine: this.engine,
      registry: this.registry,
      folderClaims: this.#folderClaims,
      treeTracker: options.treeTracker,
      onStartFailed: (session) => this.#sendQueued(session),
    });
  }

  /** Opens a session and starts its first turn. */
  start(settings: SessionSettings, turn: TurnSettings, input: TurnInput, caller: TurnCaller): Promise<Session> {
    return this.#turnStarter.start(settings, turn, input, caller);
  }

  async say(sessionId: string, turn: TurnSettings, input: TurnInput, options: SayOptions): Promise<SayResult> {
    const { check, onAccepted } = options;
    const { client, prompter, canPromptInCalls = false } = options;
    const caller = { client, prompter, canPromptInCalls };
    const message: QueuedMessage = { input, turn, caller, ...omitUndefined({ check, onAccepted }) };
    const known = this.registry.find(sessionId);
    if (known?.isRunning === true) return this.#sayToBusy(known, message, options);
    this.registry.assertCapacity();
    const session = known ?? this.#addStored(sessionId, options);
    try {
      await this.#turnStarter.continue(session, message, options);
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
  review(settings: SessionSettings, target: ReviewTarget, caller: TurnCaller): Promise<Session> {
    return this.#turnStarter.review(settings, target, caller);
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
    // Otherwise a turn whose start the engine rejects now would be followed by the next message.
    for (const session of this.registry.all()) dropQueue(session);
    for (const session of this.registry.running()) this.#approvals.cancelAll(session);
    await this.engine.close();
    await this.#treeTracker?.close();
    this.#folderClaims.close();
  }

  #addStored(sessionId: string, { settings = {}, origin = 'stored' }: SayOptions): Session {
    const session = this.registry.add({ sessionId, cwd: '' }, settings);
    session.settingsOrigin = origin;
    return session;
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
      await this.#turnStarter.continue(forked, message, caller);
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
      throw new AppError('BUSY', 'The turn has not started yet, or has already ended.', {
        data: { sessionId: session.id },
      });
    await this.engine.steer({ sessionId: session.id, turnId }, input);
  }

  #sendQueued(session: Session): void {
    const next = session.queue.shift();
    if (next === undefined) return;
    this.#turnStarter.continue(session, next, { ...next, ...next.caller }).catch((error) => {
      session.warn(`A queued message could not be sent: ${messageOf(error)}`);
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
