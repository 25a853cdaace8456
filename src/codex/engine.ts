import type { AppError } from '../base/errors.ts';
import type { RequestId } from '../wire/messages.ts';
import type { ApprovalRequest } from './approvals/approval-request.ts';
import type { ApprovalPolicy, Item, PlanStep, SandboxMode, TurnFailure, Usage } from './item-types.ts';
import type { CodexVersion } from './locate/codex-version.ts';
import type { ListQuery, ReadQuery, SessionPage, StoredSession } from './storage/stored-session.ts';

/**
 * Drives Codex. Every engine reports events in the types of `item-types.ts`, through the listener that it was created
 * with. A method either does what it promises or throws an `AppError` that a caller can act on.
 */
export interface Engine {
  readonly name: EngineName;
  /** A sentence for each capability that the engine does not support. */
  readonly unsupported: Readonly<Partial<Record<EngineCapability, string>>>;
  /** Opens a session and starts its first turn. Like `say` and `review`, reports `turn-started` before it resolves. */
  start(request: StartRequest): Promise<StartedTurn>;
  /** Starts a turn in a session. Resumes the session from Codex's storage if this engine does not have it open. */
  say(request: SayRequest): Promise<StartedTurn>;
  /** Adds a text to the running turn. */
  steer(turn: TurnRef, input: TurnInput): Promise<void>;
  /**
   * Ends the turn. Resolves when Codex has acknowledged the request, or when `signal` aborts because the request is no
   * longer needed. The `turn-ended` event reports that the turn is over.
   */
  interrupt(turn: TurnRef, signal: AbortSignal): Promise<void>;
  /** Ends the agents and the shell commands that the session left running. */
  stopCommands(sessionId: string): Promise<void>;
  /**
   * Kills a Codex process that does not respond, with everything that it started. The engine then reports `crashed`,
   * and the next call starts a new process. Resolves to false, and does nothing, if Codex responds in time. With a
   * timeout of 0 it always kills.
   */
  killIfUnresponsive(withinMs: number): Promise<boolean>;
  /** Creates a session with the history of another one. */
  fork(request: ForkRequest): Promise<OpenedSession>;
  /** Starts Codex's own review of changes, as a turn of a session that `fork`, `start` or `open` returned. */
  review(sessionId: string, target: ReviewTarget): Promise<StartedTurn>;
  /** Opens a session without a turn. */
  open(settings: SessionSettings, guards?: OpenGuards): Promise<OpenedSession>;
  list(query: ListQuery): Promise<SessionPage>;
  /** Reads a stored session without resuming it. */
  read(query: ReadQuery): Promise<StoredSession>;
  models(): Promise<readonly ModelInfo[]>;
  /** Returns the account's remaining usage as Codex reports it. */
  rateLimits(): Promise<Readonly<Record<string, unknown>>>;
  /** Ends Codex and everything that it started. May be called twice, never throws. */
  close(): Promise<void>;
}

type EngineName = 'app-server' | 'exec';

export type EngineCapability =
  | 'approvals'
  | 'steer'
  | 'fork'
  | 'review'
  | 'read'
  | 'models'
  | 'rateLimits'
  | 'stopCommands';

/** Receives everything that happens in the sessions of an engine. */
export interface EngineListener {
  event(sessionId: string, event: EngineEvent): void;
  /** Resolves with the response for Codex. The listener keeps the request until then; the engine does not. */
  approvalRequested(sessionId: string, approval: IncomingApproval): Promise<unknown>;
  /** Codex no longer waits for these requests. Each still gets its response, which must be a refusal. */
  approvalsWithdrawn(isWithdrawn: (approval: IncomingApproval) => boolean): void;
  /** The engine has ended unexpectedly, together with every turn that it ran. */
  crashed(reason: AppError): void;
  /** Receives an app-server notification unchanged, for listeners that need more than events. */
  notification?(sessionId: string, method: string, params: Readonly<Record<string, unknown>>): void;
}

export interface IncomingApproval {
  /** The id of the server request. It is unique until the engine crashes. */
  readonly requestId: RequestId;
  /** The thread that asks: that of the session, or that of an agent which works for it. */
  readonly threadId: string;
  readonly request: ApprovalRequest;
}

export type EngineEvent =
  /** The session was resumed and has these properties now. */
  | { readonly kind: 'opened'; readonly session: OpenedSession }
  | { readonly kind: 'turn-started'; readonly turnId: string }
  | { readonly kind: 'item'; readonly turnId: string; readonly item: Item }
  | { readonly kind: 'plan'; readonly turnId: string; readonly plan: readonly PlanStep[] }
  /** All changes of the turn so far, as one unified diff. */
  | { readonly kind: 'diff'; readonly turnId: string; readonly diff: string }
  | {
      readonly kind: 'usage';
      readonly total: Usage;
      readonly turn: Usage | undefined;
      readonly contextWindow: number | undefined;
    }
  /** Codex retries by itself: the turn continues. */
  | { readonly kind: 'retrying'; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'turn-ended'; readonly turnId: string; readonly end: TurnEnd };

export type TurnEnd =
  | { readonly status: 'completed'; readonly lastMessage: string | undefined }
  | { readonly status: 'interrupted' }
  | { readonly status: 'failed'; readonly failure: TurnFailure };

export interface TurnRef {
  readonly sessionId: string;
  readonly turnId: string;
}

export type StartedTurn = TurnRef;

/** The user's message in a turn. */
export interface TurnInput {
  readonly text: string;
  /** Paths of image files that exist. */
  readonly images: readonly string[];
}

/** The settings that the caller has chosen. Codex's own configuration decides the rest. */
export interface SessionSettings {
  readonly cwd?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly approvalPolicy?: ApprovalPolicy;
  readonly sandbox?: SandboxMode;
  /** Codex's configuration as nested tables: the profile, overridden by individual settings. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The profile, which `config` already includes. The exec engine passes its name instead. */
  readonly profile?: { readonly name: string; readonly overrides: Readonly<Record<string, unknown>> };
  readonly baseInstructions?: string;
  readonly developerInstructions?: string;
  readonly compactPrompt?: string;
  readonly addDirs?: readonly string[];
  /** Allows the session to work outside of version control. */
  readonly skipsGitCheck?: boolean;
  readonly name?: string;
  /** Also reports the messages of the model's own protocol, if the engine supports that. */
  readonly rawEvents?: boolean;
}

/** Settings that a turn may change for itself and later turns. */
export interface TurnSettings {
  readonly model?: string;
  readonly effort?: string;
  readonly approvalPolicy?: ApprovalPolicy;
  readonly sandbox?: SandboxMode;
  readonly outputSchema?: unknown;
}

export interface OpenGuards {
  readonly beforeTurn?: BeforeTurn;
  /** If it aborts first, the session is not returned. */
  readonly signal?: AbortSignal | undefined;
}

export interface StartRequest {
  readonly settings: SessionSettings;
  readonly turn: TurnSettings;
  readonly input: TurnInput;
  /** Called once, before any event of the session arrives. */
  readonly onTurnReady: (session: OpenedSession) => void;
  readonly beforeTurn?: BeforeTurn;
  /** If it aborts before the turn has begun, no turn begins. */
  readonly signal?: AbortSignal;
}

export interface SayRequest {
  readonly sessionId: string;
  /** The settings that the session was started with. They are sent again if it has to be resumed. */
  readonly settings: SessionSettings;
  readonly turn: TurnSettings;
  readonly input: TurnInput;
  /** Called with the properties of the session after `beforeTurn`, directly before the turn begins. */
  readonly onTurnReady?: (session: OpenedSession) => void;
  readonly beforeTurn?: BeforeTurn;
  readonly signal?: AbortSignal;
}

/**
 * Prepares the next turn, with its permissions as far as the engine knows them: checks them and reserves the folders.
 * Called before anything runs in the turn. If it throws or rejects, the turn does not run.
 */
export type BeforeTurn = (permissions: TurnPermissions) => void | Promise<void>;

/** Throws or rejects if these permissions are not allowed. */
export type PermissionCheck = (permissions: TurnPermissions) => void | Promise<void>;

/** The permissions that Codex gives to a turn, as far as the engine knows them. */
export interface TurnPermissions {
  readonly sandbox: string | undefined;
  /** Empty if unknown. */
  readonly cwd: string;
  /** Folders besides the working folder that commands may write to. */
  readonly writableRoots: readonly string[];
  /** The temporary folders that commands may write to. */
  readonly tempFolders: readonly string[];
  readonly hasNetwork: boolean;
  /** True if this version of Codex lets every session write to `CODEX_HOME/memories`. */
  readonly opensMemories?: boolean;
  /** A permission profile of the user that was chosen instead of a sandbox. */
  readonly profile?: string;
  /** Who decides approval requests, under Codex's name for it. */
  readonly reviewer?: string;
}

/**
 * Creates the configuration that enforces the operator's limits and overrides that of a session. Rejects if it cannot
 * enforce them.
 */
export type LimitConfig = (session: {
  readonly cwd: string;
  readonly settings: SessionSettings;
  /** True if Codex takes sandbox and approval policy from its configuration, not from a stored session. */
  readonly readsPolicyFromConfig: boolean;
  /** True if Codex makes `.codex` read-only in folders that commands may write to. */
  readonly protectsProjectConfig: boolean;
  /** Undefined if unknown. */
  readonly version: CodexVersion | undefined;
}) => Promise<Readonly<Record<string, unknown>>>;

export interface ForkRequest {
  readonly sessionId: string;
  readonly settings: SessionSettings;
  readonly check?: PermissionCheck;
  /** The last turn that the fork includes. Without it, the fork includes all turns. */
  readonly lastTurnId?: string;
}

export interface OpenedSession {
  readonly sessionId: string;
  /** The working folder. */
  readonly cwd: string;
  readonly model?: string;
  readonly approvalPolicy?: string;
  readonly sandbox?: string;
  readonly forkedFrom?: string;
  /** True if Codex may resume the session with another sandbox and approval policy, as older versions do. */
  readonly forgetsPolicy?: boolean;
}

export type ReviewTarget =
  | { readonly type: 'uncommittedChanges' }
  | { readonly type: 'baseBranch'; readonly branch: string }
  | { readonly type: 'commit'; readonly sha: string }
  | { readonly type: 'custom'; readonly instructions: string };

export interface ModelInfo {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly isDefault: boolean;
  readonly efforts: readonly string[];
  readonly defaultEffort?: string;
}
