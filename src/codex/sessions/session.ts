import { AppError } from '../../base/errors.ts';
import type { PendingApproval } from '../approvals/approvals.ts';
import type { ApprovalPrompter } from '../approvals/prompter.ts';
import type {
  EngineEvent,
  OpenedSession,
  PermissionCheck,
  SessionSettings,
  TurnEnd,
  TurnInput,
  TurnSettings,
} from '../engine.ts';
import { RunningCommands } from '../engines/running-commands.ts';
import { addUsage, type Item, NO_USAGE, type SessionStatus, type TurnFailure, type Usage } from '../item-types.ts';
import { createEventBuffer, type EventBuffer } from './event-buffer.ts';
import { Turn } from './turn.ts';

export interface SessionOptions {
  readonly maxEvents: number;
  /** Tells the cursors of this run of the server from those of another. */
  readonly runId: string;
}

/** A message that waits for the running turn to end. */
export interface QueuedMessage {
  readonly input: TurnInput;
  readonly turn: TurnSettings;
  /** What was a limit when it was said is one when it is sent. */
  readonly check?: PermissionCheck;
}

/** One conversation with Codex: everything that is known of it, and who wants to hear when that changes. */
export class Session {
  readonly id: string;
  readonly events: EventBuffer;
  readonly queue: QueuedMessage[] = [];
  readonly warnings: string[] = [];
  /** Oldest first. */
  readonly pendingApprovals: PendingApproval[] = [];
  opened: OpenedSession;
  /** With what it was started, to be said again when it has to be resumed. */
  settings: SessionSettings;
  /** How whoever drives it can be asked. */
  prompter: ApprovalPrompter | undefined;
  /** As Codex counts it: with all that was before this server, and before a fork. */
  usage: Usage | undefined;
  contextWindow: number | undefined;
  turnCount = 0;
  /** Somebody is ending the running turn. */
  isInterrupting = false;
  /** A turn that Codex did not end although it was asked to. */
  stuckTurn: Turn | undefined;
  readonly #maxEvents: number;
  readonly #listeners = new Set<() => void>();
  /** The ids of the latest turns that are over. */
  readonly #endedTurnIds: string[] = [];
  readonly #commands = new RunningCommands();
  #reportedWarnings: ReadonlySet<string> = new Set();
  #startController = new AbortController();
  #usedByEndedTurns: Usage = NO_USAGE;
  #turn: Turn | undefined;
  #previousTurn: Turn | undefined;
  #isRunning = false;

  constructor(opened: OpenedSession, settings: SessionSettings, { maxEvents, runId }: SessionOptions) {
    this.id = opened.sessionId;
    this.opened = opened;
    this.settings = settings;
    this.#maxEvents = maxEvents;
    this.events = createEventBuffer(maxEvents, runId);
  }

  /** What its turns in this server have used. */
  get usedHere(): Usage {
    return addUsage(this.#usedByEndedTurns, this.#isRunning ? (this.#turn?.usage ?? NO_USAGE) : NO_USAGE);
  }

  /** The running turn, or the last one. */
  get turn(): Turn | undefined {
    return this.#turn;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get status(): SessionStatus {
    if (this.#isRunning) return this.pendingApprovals.length > 0 ? 'awaiting_approval' : 'active';
    return toStatus(this.#turn?.end);
  }

  get failure(): TurnFailure | undefined {
    const end = this.#turn?.end;
    return end?.status === 'failed' ? end.failure : undefined;
  }

  /** From now on it is busy with a turn. `start` is aborted when it is to end before it has begun. */
  beginTurn(start = new AbortController()): void {
    this.#startController = start;
    this.#previousTurn = this.#turn;
    this.turnCount++;
    this.#turn = new Turn(this.turnCount, this.#maxEvents);
    this.#isRunning = true;
    this.notifyChanged();
  }

  /** Aborted when the turn that is being started is not wanted any more. */
  get startSignal(): AbortSignal {
    return this.#startController.signal;
  }

  /** A turn that has not begun is not to begin; one that has is not touched. */
  cancelStart(): void {
    if (this.#isRunning && this.#turn?.id === undefined) this.#startController.abort(turnCancelledError());
  }

  /** A turn that nobody wants any more: what is heard of it later is not news. */
  ignoreTurn(turnId: string): void {
    this.#endedTurnIds.push(turnId);
  }

  /** The turn could not be started: everything is as it was before, unless it was ended by somebody. */
  revertTurn(): void {
    if (this.#startController.signal.aborted) this.endTurn({ status: 'interrupted' });
    if (!this.#isRunning) return;
    this.#turn?.tree?.freeze();
    this.#turn = this.#previousTurn;
    this.turnCount--;
    this.#isRunning = false;
    this.notifyChanged();
  }

  apply(event: EngineEvent): void {
    switch (event.kind) {
      case 'opened':
        this.opened = { ...this.opened, ...event.session };
        // An old Codex counts turns from 0 again.
        this.#endedTurnIds.length = 0;
        break;
      case 'turn-started':
        this.#turnStarted(event.turnId);
        break;
      case 'item':
        this.#addItem(event);
        break;
      case 'plan':
        if (this.#turn !== undefined) this.#turn.plan = event.plan;
        break;
      case 'diff':
        if (this.#turn !== undefined) this.#turn.diff = event.diff;
        break;
      case 'usage':
        this.usage = event.total;
        this.contextWindow = event.contextWindow ?? this.contextWindow;
        if (this.#turn !== undefined) this.#turn.usage = event.turn ?? this.#turn.usage;
        break;
      case 'retrying':
        if (this.#turn !== undefined) this.#turn.retrying = event.message;
        break;
      case 'warning':
        this.warn(event.message);
        break;
      case 'turn-ended':
        this.#turnEnded(event.turnId, event.end);
        break;
    }
    this.notifyChanged();
  }

  /** The first end counts. */
  endTurn(end: TurnEnd): void {
    const turn = this.#turn;
    if (!this.#isRunning || turn === undefined) return;
    if (end.status === 'completed') turn.lastMessage = end.lastMessage ?? turn.lastMessage;
    turn.end = end;
    turn.endedAt = Date.now();
    turn.tree?.freeze(turn.files().map(({ path }) => path));
    turn.retrying = undefined;
    this.#usedByEndedTurns = addUsage(this.#usedByEndedTurns, turn.usage ?? NO_USAGE);
    this.#isRunning = false;
    this.#endedTurnIds.push(...turn.ids());
    if (this.#endedTurnIds.length > MAX_ENDED) this.#endedTurnIds.splice(0, this.#endedTurnIds.length - MAX_ENDED);
    this.notifyChanged();
  }

  /** Called when no command of the session is running. Commands that Codex has not reported as ended become failed. */
  markCommandsEnded(): void {
    for (const { turnId, item } of this.#commands.all())
      this.#addItem({ kind: 'item', turnId, item: { ...item, status: 'failed' } });
  }

  get hasRunningCommands(): boolean {
    return this.#commands.all().length > 0;
  }

  /** Commands of earlier turns that are still running. */
  leftoverCommands(): readonly Item[] {
    return this.#commands.all().flatMap(({ turnId, item }) => (this.#turn?.hasId(turnId) === true ? [] : [item]));
  }

  warn(message: string): void {
    if (this.warnings.includes(message)) return;
    this.warnings.push(message);
    if (this.warnings.length > MAX_WARNINGS) this.warnings.shift();
  }

  /** The warnings that a caller has not been told when the turn was started. */
  unreportedWarnings(): readonly string[] {
    return this.warnings.filter((warning) => !this.#reportedWarnings.has(warning));
  }

  markWarningsReported(): void {
    this.#reportedWarnings = new Set(this.warnings);
  }

  /** Called back after every change; the returned function ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notifyChanged(): void {
    for (const listener of this.#listeners) listener();
  }

  #turnStarted(turnId: string): void {
    // News of a turn that is over already: its answer came after its end.
    if (this.#endedTurnIds.includes(turnId)) return;
    // It was given up before it had an id, and this is it.
    const isAbandoned = !this.#isRunning && this.#startController.signal.aborted && this.#turn?.id === undefined;
    if (isAbandoned) {
      this.ignoreTurn(turnId);
      return;
    }
    if (!this.#isRunning) this.beginTurn();
    this.#turn?.addId(turnId);
  }

  #turnEnded(turnId: string, end: TurnEnd): void {
    // The end of a turn that we had given up, told while the next one begins.
    if (this.#endedTurnIds.includes(turnId)) return;
    // An end may be told before the beginning is.
    if (this.#turn?.id === undefined) this.#turn?.addId(turnId);
    if (this.#turn?.hasId(turnId) === true) this.endTurn(end);
  }

  #addItem({ turnId, item }: Extract<EngineEvent, { kind: 'item' }>): void {
    // A command may outlive its turn, and end while the next one runs.
    const isOfEarlierTurn = this.#endedTurnIds.includes(turnId) && this.#turn?.hasId(turnId) === false;
    const latest = isOfEarlierTurn ? item : (this.#turn?.add(item) ?? item);
    this.events.push(turnId, latest);
    this.#commands.follow(turnId, latest);
  }
}

function turnCancelledError(): AppError {
  return new AppError('CANCELLED', 'The turn was interrupted before it had begun.');
}

const MAX_WARNINGS = 20;
const MAX_ENDED = 20;

/** A session that was resumed and has not had a turn here yet has nothing to complain of. */
function toStatus(end: TurnEnd | undefined): SessionStatus {
  if (end === undefined || end.status === 'completed') return 'done';
  return end.status === 'interrupted' ? 'interrupted' : 'error';
}
