import type { AppError } from '../base/errors.ts';
import type { ApprovalRequest } from './approvals/approval-request.ts';
import type { ApprovalPolicy, Item, PlanStep, SandboxMode, TurnFailure, Usage } from './item-types.ts';
import type { CodexVersion } from './locate/codex-version.ts';

/**
 * How Codex is driven. Every engine tells what happens in the words of `item-types.ts`, through the listener that it was made
 * with; what it was asked to do either happens or throws an `AppError` that a caller can act on.
 */
export interface Engine {
  readonly name: EngineName;
  /** A sentence for each thing that it cannot do. */
  readonly unsupported: Readonly<Partial<Record<EngineCapability, string>>>;
  /** Opens a session and starts its first turn. */
  start(request: StartRequest): Promise<StartedTurn>;
  /** Starts a turn in a session, which is resumed from Codex's storage when this engine does not hold it. */
  say(request: SayRequest): Promise<StartedTurn>;
  /** Puts a text into the running turn. */
  steer(turn: TurnRef, input: TurnInput): Promise<void>;
  /**
   * Ends the turn. Resolves when Codex has taken note, or when `signal` says that it is no longer needed; `turn-ended`
   * tells that it is over.
   */
  interrupt(turn: TurnRef, signal: AbortSignal): Promise<void>;
  /** Ends the agents and the shell commands that the session left running. */
  stopCommands(sessionId: string): Promise<void>;
  /**
   * Kills a Codex that does not react, with everything that it started: `fell` is told, and the next call starts another.
   * Resolves to false, and does nothing, when it reacts in time. Without any time it is killed in any case.
   */
  killIfUnresponsive(withinMs: number): Promise<boolean>;
  /** A new session that knows everything which this one does. */
  fork(request: ForkRequest): Promise<OpenedSession>;
  /** Codex's own review of changes, as a turn of a session that `fork`, `start` or `open` gave. */
  review(sessionId: string, target: ReviewTarget): Promise<StartedTurn>;
  /** Opens a session without a turn. */
  open(settings: SessionSettings, guards?: { readonly check?: PermissionCheck }): Promise<OpenedSession>;
  list(query: ListQuery): Promise<SessionPage>;
  /** Reads a stored session without resuming it. */
  read(query: ReadQuery): Promise<StoredSession>;
  models(): Promise<readonly ModelInfo[]>;
  /** What the account may still use, as Codex tells it. */
  rateLimits(): Promise<Readonly<Record<string, unknown>>>;
  /** Ends Codex and everything that it started. May be called twice, never throws. */
  close(): Promise<void>;
}

type EngineName = 'app-server' | 'exec';

export type EngineCapability = 'ask' | 'steer' | 'fork' | 'review' | 'read' | 'models' | 'rateLimits' | 'stopCommands';

/** Told of everything that happens in the sessions of an engine. */
export interface EngineListener {
  event(sessionId: string, event: EngineEvent): void;
  /** To be answered exactly once, by `answer`; `withdrawn` may come first. */
  approvalRequested(sessionId: string, asked: IncomingApproval): void;
  /** The engine has ended unexpectedly, and every turn that ran in it with it. */
  crashed(reason: AppError): void;
  /** A notification of the app-server as it came, for whoever wants more than events. */
  notification?(sessionId: string, method: string, params: Readonly<Record<string, unknown>>): void;
}

export interface IncomingApproval {
  readonly request: ApprovalRequest;
  respond(response: unknown): void;
  /** Aborted when Codex no longer wants to know. */
  readonly withdrawn: AbortSignal;
}

export type EngineEvent =
  /** It was resumed, and this is what it has now. */
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
  /** Codex tries again by itself: the turn goes on. */
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

/** What is asked of Codex in a turn. */
export interface TurnInput {
  readonly text: string;
  /** Paths of image files that exist. */
  readonly images: readonly string[];
}

/** Only what the caller has set: the rest is decided by Codex's own configuration. */
export interface SessionSettings {
  readonly cwd?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly approvalPolicy?: ApprovalPolicy;
  readonly sandbox?: SandboxMode;
  /** Codex's configuration, nested: the profile, then the single overrides. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The name of the profile that is part of `config` already; the exec engine passes the name instead. */
  readonly profile?: { readonly name: string; readonly overrides: Readonly<Record<string, unknown>> };
  readonly baseInstructions?: string;
  readonly developerInstructions?: string;
  readonly compactPrompt?: string;
  readonly addDirs?: readonly string[];
  /** It may work outside of version control. */
  readonly skipsGitCheck?: boolean;
  readonly name?: string;
  /** The messages of the model's own protocol are notified as well, where the engine can. */
  readonly rawEvents?: boolean;
}

/** What may be different from one turn on. */
export interface TurnSettings {
  readonly model?: string;
  readonly effort?: string;
  readonly approvalPolicy?: ApprovalPolicy;
  readonly sandbox?: SandboxMode;
  readonly outputSchema?: unknown;
}

export interface StartRequest {
  readonly settings: SessionSettings;
  readonly turn: TurnSettings;
  readonly input: TurnInput;
  /** Called once, before anything is heard of the session. */
  readonly onOpened: (session: OpenedSession) => void;
  readonly check?: PermissionCheck;
  /** When it is aborted before the turn has begun, none begins. */
  readonly signal?: AbortSignal;
}

export interface SayRequest {
  readonly sessionId: string;
  /** With what the session was started, to be said again when it has to be resumed. */
  readonly settings: SessionSettings;
  readonly turn: TurnSettings;
  readonly input: TurnInput;
  /** Called with what the session is, before the turn begins. */
  readonly onOpened?: (session: OpenedSession) => void;
  readonly check?: PermissionCheck;
  readonly signal?: AbortSignal;
}

/**
 * Called with what the next turn will be allowed to do, where the engine can know it, before anything runs in it. When it
 * throws or rejects, nothing does.
 */
export type PermissionCheck = (permissions: TurnPermissions) => void | Promise<void>;

/** What Codex will let a turn do, as far as the engine knows. */
export interface TurnPermissions {
  readonly sandbox: string | undefined;
  /** Empty when it is not known. */
  readonly cwd: string;
  /** Folders that commands may write to beside the working folder. */
  readonly writableRoots: readonly string[];
  /** The temporary folders that commands may write to. */
  readonly tempFolders: readonly string[];
  readonly hasNetwork: boolean;
  /** A permission profile of the user's that was chosen instead of a sandbox. */
  readonly profile?: string;
  /** Who decides what Codex asks, in Codex's words. */
  readonly reviewer?: string;
}

/** Configuration of the operator's limits, laid over whatever a session has. Rejects when there is no way to keep them. */
export type LimitConfig = (session: {
  readonly cwd: string;
  readonly settings: SessionSettings;
  /** Codex takes sandbox and approvals from its configuration, not from a stored session. */
  readonly readsPolicyFromConfig: boolean;
  /** Codex keeps `.codex` in a folder that commands may write to from being written. */
  readonly protectsProjectConfig: boolean;
  /** Undefined if unknown. */
  readonly version: CodexVersion | undefined;
}) => Promise<Readonly<Record<string, unknown>>>;

export interface ForkRequest {
  readonly sessionId: string;
  readonly settings: SessionSettings;
  readonly check?: PermissionCheck;
  /** The last turn that the fork knows; all of them when not given. */
  readonly lastTurnId?: string;
}

export interface OpenedSession {
  readonly sessionId: string;
  /** The folder in which it works. */
  readonly cwd: string;
  readonly model?: string;
  readonly approvalPolicy?: string;
  readonly sandbox?: string;
  readonly forkedFrom?: string;
}

export type ReviewTarget =
  | { readonly type: 'uncommittedChanges' }
  | { readonly type: 'baseBranch'; readonly branch: string }
  | { readonly type: 'commit'; readonly sha: string }
  | { readonly type: 'custom'; readonly instructions: string };

export interface ListQuery {
  readonly workingDirectory?: string;
  readonly search?: string;
  readonly cursor?: string;
  readonly limit: number;
}

export interface SessionPage {
  readonly sessions: readonly StoredSessionInfo[];
  readonly nextCursor?: string;
}

export interface StoredSessionInfo {
  readonly sessionId: string;
  readonly directory?: string;
  readonly summary?: string;
  readonly name?: string;
  /** When it was last used, in ISO form. */
  readonly timestamp: string;
  /** Who made it: cli, vscode, exec, appServer… */
  readonly source?: string;
}

export interface ReadQuery {
  readonly sessionId: string;
  readonly cursor?: string;
  readonly limit: number;
}

/** A part of what was said and done in a session, oldest first. */
export interface StoredSession extends StoredSessionInfo {
  readonly turns: readonly StoredTurn[];
  /** For the turns before these. */
  readonly nextCursor?: string;
}

export interface StoredTurn {
  readonly turnId: string;
  readonly status: 'completed' | 'interrupted' | 'failed' | 'running';
  readonly failure?: TurnFailure;
  readonly entries: readonly TranscriptEntry[];
}

export interface TranscriptEntry {
  readonly role: 'user' | 'codex';
  readonly type: Item['type'] | 'user_message';
  readonly text: string;
  readonly files?: Item['files'];
}

export interface ModelInfo {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly isDefault: boolean;
  readonly efforts: readonly string[];
  readonly defaultEffort?: string;
}
