/** The vocabulary of our tools for sessions, independent of the names that an engine or a version of Codex uses. */

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

export function isInProgress({ status }: Pick<Item, 'status'>): boolean {
  return status === 'started' || status === 'in_progress';
}

/** One action or message of Codex in a turn. */
export interface Item {
  readonly id: string;
  readonly type: ItemType;
  readonly status: ItemStatus;
  /** A short description: the start of a text, a command, a path or a tool. */
  readonly summary: string;
  /** The exit code of a failed command, if Codex reports it. */
  readonly exitCode?: number;
  /** The last lines of a failed command's output. */
  readonly outputTail?: string;
  /** The number of characters before `outputTail`, if there are any. */
  readonly omittedOutput?: number;
  /** The full text of an agent message. */
  readonly text?: string;
  readonly files?: readonly FileChange[];
  readonly plan?: readonly PlanStep[];
}

export interface FileChange {
  readonly path: string;
  readonly kind: 'add' | 'delete' | 'update';
  /** Present if the engine provides it. */
  readonly diff?: string;
  /** The new path of a renamed file. */
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

/** Returns the difference, which is never negative. */
export function subtractUsage(total: Usage, part: Usage): Usage {
  return {
    inputTokens: Math.max(0, total.inputTokens - part.inputTokens),
    cachedInputTokens: Math.max(0, total.cachedInputTokens - part.cachedInputTokens),
    outputTokens: Math.max(0, total.outputTokens - part.outputTokens),
    reasoningOutputTokens: Math.max(0, total.reasoningOutputTokens - part.reasoningOutputTokens),
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
  /** When the limit resets, in ISO format, if Codex reports it. */
  readonly resetsAt?: string;
}

export type ApprovalPolicy = 'untrusted' | 'on-request' | 'never';

/** From the most to the least restrictive. */
export const SANDBOX_MODES = ['read-only', 'workspace-write', 'danger-full-access'] as const;

export type SandboxMode = (typeof SANDBOX_MODES)[number];
