/** A server request in which Codex asks for a decision or input. The turn is blocked until it gets a response. */
export interface ApprovalRequest {
  readonly type: ApprovalType;
  /** The turn and the item that the request belongs to, if Codex names them. */
  readonly turnId: string | undefined;
  readonly itemId: string | undefined;
  /** The questions of the request. An approval has one, a request for user input may have several. */
  readonly questions: readonly ApprovalQuestion[];
  /** Context for the decision: command, folder, reason, diff, server, tool, arguments, schema. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Parses one answer per question. Throws BAD_ARGUMENTS for an answer that is not possible. */
  decide(answers: readonly string[]): Decision | Promise<Decision>;
  /** Codex's response for a refusal after which the turn continues. */
  readonly refusal: unknown;
  /** Codex's response for a refusal that ends the turn, if it has one. */
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
  /** Accepts any text, not only an option. */
  readonly isOpen?: boolean;
  /** The answer must not be displayed. */
  readonly isSecret?: boolean;
}

export interface Decision {
  /** The response for Codex. */
  readonly response: unknown;
  /** The caller's additional comment. It is sent to the model before the response takes effect. */
  readonly note: string | undefined;
  /** False if Codex must not do what it asked for, or gets no input. */
  readonly isApproval: boolean;
  /** True if it changes the user's own Codex permanently, not only this session. */
  readonly isPermanent?: boolean;
  /** A short form for logs: the option, or that it was answered. */
  readonly summary: string;
}
