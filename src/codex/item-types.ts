/** What is told about a session, in the words of our tools, whatever an engine or a version of Codex calls it. */

export type SessionStatus = 'active' | 'awaiting_approval' | 'done' | 'error' | 'interrupted';

export type ItemType =
  | 'agent_message'
  | 'reasoning'
  | 'command_execution'
  | 'file_change'
  | 'mcp_tool_call'
  | 'web_search'
  | 'todo_list'
  | 'error'
  | 'unknown';

export type ItemStatus = 'started' | 'in_progress' | 'completed' | 'failed';

/** One thing that Codex did in a turn. */
export interface Item {
  readonly id: string;
  readonly type: ItemType;
  readonly status: ItemStatus;
  /** Brief: a text's beginning, a command, a path, a tool. */
  readonly summary: string;
  /** Of a failed command, where Codex tells it. */
  readonly exitCode?: number;
  /** The last lines of what a failed command wrote. */
  readonly outputTail?: string;
  /** The whole text of an agent message. */
  readonly text?: string;
  readonly files?: readonly FileChange[];
  readonly plan?: readonly PlanStep[];
}

export interface FileChange {
  readonly path: string;
  readonly kind: 'add' | 'delete' | 'update';
  /** Where the engine gives it. */
  readonly diff?: string;
  /** Where an updated file goes, when it gets another name. */
  readonly movedTo?: string;
}

export interface PlanStep {
  readonly step: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

export interface Usage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningOutputTokens: number;
}

export const NO_USAGE: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningOutputTokens: 0 };

export function addUsage(sum: Usage, more: Usage): Usage {
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    cachedInputTokens: sum.cachedInputTokens + more.cachedInputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    reasoningOutputTokens: sum.reasoningOutputTokens + more.reasoningOutputTokens,
  };
}

export type FailureKind =
  | 'usage_limit'
  | 'rate_limit'
  | 'context_window'
  | 'auth'
  | 'network'
  | 'overloaded'
  | 'bad_request'
  | 'sandbox'
  | 'engine'
  | 'other';

/** Why a turn failed. */
export interface TurnFailure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly httpStatus?: number;
  /** When the limit is lifted, in ISO form, where Codex says so. */
  readonly resetsAt?: string;
}

export type ApprovalPolicy = 'untrusted' | 'on-request' | 'never';

/** From the least to the most that a command may do. */
export const SANDBOX_MODES = ['read-only', 'workspace-write', 'danger-full-access'] as const;

export type SandboxMode = (typeof SANDBOX_MODES)[number];
