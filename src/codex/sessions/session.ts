import { AppError } from '../../base/errors.ts';
import type { ServedClient } from '../../serve/served-client.ts';
import type { PendingApproval } from '../approvals/pending-approval.ts';
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
import type { SettingsOrigin } from '../limits/turn-permissions.ts';
import { createEventBuffer, type EventBuffer } from './event-buffer.ts';
import { Turn } from './turn.ts';

export interface SessionOptions {
  readonly maxEvents: number;
  /** Distinguishes the cursors of this server run from those of another. */
  readonly runId: string;
}

/** A message that waits until the running turn has ended. */
export interface QueuedMessage {
  readonly input: TurnInput;
  readonly turn: TurnSettings;
  /** Checks the turn when the message is sent, against the limits that applied when it was queued. */
  readonly check?: PermissionCheck;
  /** Called when Codex has accepted the turn. A message that is dropped from the queue never gets there. */
  readonly onAccepted?: (session: Session) => Promise<void>;
  /** The caller that is prompted while the turn runs. */
  readonly caller: PromptedCaller;
}

/** A call that waits for a session. */
export interface WaitingCall {
  readonly client: ServedClient;
  readonly prompter: ApprovalPrompter;
}

/** The caller that is prompted while a turn runs. */
export interface PromptedCaller {
  /** Undefined for a caller without a connection. */
  readonly client?: ServedClient | undefined;
  readonly prompter: ApprovalPrompter | undefined;
  /** Whether it can be prompted while it waits in a later call, as in the modern era. */
  readonly canPromptInCalls?: boolean;
}

/** One conversation with Codex: its state, and the listeners for changes of that state. */
export class Session {
  readonly id: string;
  readonly events: EventBuffer;
  readonly queue: QueuedMessage[] = [];
  /** Whether a message was ever queued. Its caller may ask for the session even if no turn could start. */
  hadQueuedMessage = false;
  readonly warnings: string[] = [];
  /** Every approval request of the session that has no response yet, oldest first. Only `Approvals` changes it. */
  readonly pendingApprovals: PendingApproval[] = [];
  opened: OpenedSession;
  /** The settings that the session was started with. They are sent again when it is resumed. */
  settings: SessionSettings;
  /** Decides how the permissions of its turns are checked. `caller` if the settings of an earlier run are the caller's. */
  settingsOrigin: SettingsOrigin = 'stored';
  /** The client whose call has started the turn. */
  client: ServedClient | undefined;
  /** Prompts that client when no call waits for the session. */
  prompter: ApprovalPrompter | undefined;
  /** The calls that wait for the session and can prompt their clients, oldest first. */
  readonly waitingCalls = new Set<WaitingCall>();
  /** Whether that caller can be prompted while it waits in a later call, even without a prompter. */
  canPromptInCalls = false;
  /** Total as counted by Codex, including usage before this server run and before a fork. */
  usage: Usage | undefined;
  contextWindow: number | undefined;
  turnCount = 0;
  /** True while an interrupt is ending the running turn. */
  isInterrupting = false;
  /** A turn that Codex did not end when it was interrupted. */
  stuckTurn: Turn | undefined;
  readonly #maxEvents: number;
  readonly #listeners = new Set<() => void>();
  /** The ids of the latest ended turns. */
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

  /** The usage of the turns that this server ran. */
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

  /** Only the client whose call has started the turn is prompted, unless it has disconnected. */
  isPrompted(client: ServedClient): boolean {
    return this.client === undefined || this.client === client || this.client.left.aborted;
  }

  /** Marks the session as busy with a new turn. Aborting `start` cancels the turn before it has begun. */
  beginTurn(start = new AbortController()): void {
    this.#startController = start;
    this.#previousTurn = this.#turn;
    this.turnCount++;
    this.#turn = new Turn(this.turnCount, this.#maxEvents);
    this.#isRunning = true;
    this.notifyChanged();
  }

  /** Aborts when the turn that is being started is cancelled. */
  get startSignal(): AbortSignal {
    return this.#startController.signal;
  }

  /** Cancels a turn that has not begun. Has no effect on a turn that has. */
  cancelStart(): void {
    if (this.#isRunning && this.#turn?.id === undefined) this.#startController.abort(turnCancelledError());
  }

  /** Ignores later events about a turn that was cancelled. */
  ignoreTurn(turnId: string): void {
    this.#endedTurnIds.push(turnId);
  }

  /** Restores the state before a turn that could not be started. A cancelled turn counts as interrupted instead. */
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
        // An old Codex restarts its turn ids at 0.
        this.#endedTurnIds.length = 0;
        break;
      case 'turn-started':
        this.#turnStarted(event.turnId);
        break;
      case 'item':
        this.#addItem(event);
        break;
      case 'plan':
        if (this.#turn !== undefined && !this.#isOfEarlierTurn(event.turnId)) this.#turn.plan = event.plan;
        break;
      case 'diff':
        if (this.#turn !== undefined && !this.#isOfEarlierTurn(event.turnId)) this.#turn.diff = event.diff;
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

  /** Ends the running turn. The first call wins. */
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

  /** Marks commands without a reported end as failed. Call it when no command of the session is running. */
  markCommandsEnded(): void {
    for (const { startedBy: turnId, item } of this.#commands.all())
      this.#addItem({ kind: 'item', turnId, item: { ...item, status: 'failed' } });
  }

  get hasRunningCommands(): boolean {
    return this.#commands.size > 0;
  }

  /** Returns the commands of earlier turns that are still running. */
  leftoverCommands(): readonly Item[] {
    return this.#commands.all().flatMap(({ startedBy, item }) => (this.#turn?.hasId(startedBy) === true ? [] : [item]));
  }

  warn(message: string): void {
    if (this.warnings.includes(message)) return;
    this.warnings.push(message);
    if (this.warnings.length > MAX_WARNINGS) this.warnings.shift();
  }

  /** Returns the warnings that the caller did not see when the turn was started. */
  unreportedWarnings(): readonly string[] {
    return this.warnings.filter((warning) => !this.#reportedWarnings.has(warning));
  }

  markWarningsReported(): void {
    this.#reportedWarnings = new Set(this.warnings);
  }

  /** Calls the listener after every change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notifyChanged(): void {
    for (const listener of this.#listeners) listener();
  }

  #turnStarted(turnId: string): void {
    // The turn has already ended: the response to its start arrived after its end.
    if (this.#endedTurnIds.includes(turnId)) return;
    // The turn was cancelled before it had an id, and this is its id.
    const isAbandoned = !this.#isRunning && this.#startController.signal.aborted && this.#turn?.id === undefined;
    if (isAbandoned) {
      this.ignoreTurn(turnId);
      return;
    }
    if (!this.#isRunning) this.beginTurn();
    this.#turn?.addId(turnId);
  }

  #turnEnded(turnId: string, end: TurnEnd): void {
    // The end of a cancelled turn, reported while the next turn begins.
    if (this.#endedTurnIds.includes(turnId)) return;
    // Codex may report the end of a turn before its start.
    if (this.#turn?.id === undefined) this.#turn?.addId(turnId);
    if (this.#turn?.hasId(turnId) === true) this.endTurn(end);
  }

  #addItem({ turnId, item }: Extract<EngineEvent, { kind: 'item' }>): void {
    // A command may outlive its turn and end while the next turn runs.
    const latest = this.#isOfEarlierTurn(turnId) ? item : (this.#turn?.add(item) ?? item);
    this.events.push(turnId, latest);
    this.#commands.track(turnId, latest);
  }

  #isOfEarlierTurn(turnId: string): boolean {
    return this.#endedTurnIds.includes(turnId) && this.#turn?.hasId(turnId) === false;
  }
}

function turnCancelledError(): AppError {
  return new AppError('CANCELLED', 'The turn was interrupted before it started.');
}

const MAX_WARNINGS = 20;
const MAX_ENDED = 20;

/** A resumed session that has not run a turn in this server yet counts as done. */
function toStatus(end: TurnEnd | undefined): SessionStatus {
  if (end === undefined || end.status === 'completed') return 'done';
  return end.status === 'interrupted' ? 'interrupted' : 'error';
}
