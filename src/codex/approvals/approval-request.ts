/** Something that Codex wants to know before it goes on. The turn rests until it is answered. */
export interface ApprovalRequest {
  readonly type: ApprovalType;
  /** The turn and the item that it is about, where Codex says so. */
  readonly turnId: string | undefined;
  readonly itemId: string | undefined;
  /** What is asked: approvals have one part, questions to the user may have several. */
  readonly questions: readonly ApprovalQuestion[];
  /** What it is about, for whoever decides: command, folder, reason, diff, server, tool, arguments, schema. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Reads one answer per part; throws BAD_ARGUMENTS for one that is not possible. */
  decide(answers: readonly string[]): Decision | Promise<Decision>;
  /** Codex's words for a refusal after which the turn goes on. */
  readonly refusal: unknown;
  /** Codex's words for a refusal that ends the turn, as far as it knows one. */
  readonly cancellation: unknown;
}

export type ApprovalType =
  | 'command_approval'
  | 'patch_approval'
  | 'permission_approval'
  | 'user_input'
  | 'mcp_tool_approval'
  | 'mcp_elicitation';

export interface ApprovalQuestion {
  readonly question: string;
  readonly options: readonly string[];
  /** Anything may be answered, not only an option. */
  readonly isOpen?: boolean;
  /** What is answered must not be shown. */
  readonly isSecret?: boolean;
}

export interface Decision {
  /** Codex's own answer. */
  readonly response: unknown;
  /** What the caller said besides: it is told to the model before the answer takes effect. */
  readonly note: string | undefined;
  /** It changes the user's own Codex for good, not only this session. */
  readonly isPermanent?: boolean;
  /** In short, for logs: the option, or that it was answered. */
  readonly summary: string;
}
