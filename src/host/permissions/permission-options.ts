import type { CallKind } from './rules.ts';
import type { ToolHints } from './tool-hints.ts';

/** How an application decides which calls are made. Without options, the host denies all calls. */
export interface PermissionOptions {
  /** Evaluated in order; the first match decides. When no rule matches, the host asks a person. */
  readonly rules?: readonly PermissionRule[];
  /** Asks a person. Without it, the host denies every call that needs confirmation. */
  readonly confirm?: (
    question: PermissionQuestion,
    options: { readonly signal: AbortSignal | undefined },
  ) => PermissionAnswer | Promise<PermissionAnswer>;
  /** File that keeps remembered decisions across runs. Without it, they last as long as the host. */
  readonly file?: string;
  /** Called for every decision. */
  readonly onDecision?: (decision: Decision) => void;
}

/** Matches a call when every condition matches; an omitted condition matches everything. */
export interface PermissionRule {
  /** Server ids, or patterns in which `*` matches any text; one of them must match. */
  readonly server?: string | readonly string[];
  /** The server's own tool names, or patterns with `*`; one of them must match. */
  readonly tool?: string | readonly string[];
  /**
   * The same for URIs of resources. A rule names tools, resources or prompts; a rule that names none applies to all.
   */
  readonly resource?: string | readonly string[];
  /** The same for prompts, when the host offers them to the model. */
  readonly prompt?: string | readonly string[];
  /**
   * Hints of the server about its tool; MCP's defaults apply to missing hints. An allow rule with hints must name its
   * servers in full. A deny or confirm rule with hints is only as reliable as the server's claim: do not put a rule
   * that allows everything after it.
   */
  readonly annotations?: ToolHints;
  /**
   * Conditions by path (`a.b`, or `a\\.b` for a key with a dot) on the value as text: a pattern with `*` that matches
   * the whole text, or an expression, which must match the whole text in an allow rule and may match anywhere in a deny
   * or confirm rule. When the arguments can be read in several ways, as with both `a.b` and `a\\.b`, and only some of
   * them match, the strictest outcome applies: a deny rule matches, an allow rule does not, and a confirm rule asks
   * despite remembered permissions, unless a later rule denies.
   */
  readonly arguments?: Readonly<Record<string, string | RegExp>>;
  /** Effect on a matching call; `confirm` asks a person, unless a remembered decision covers the call. */
  readonly decide: 'allow' | 'deny' | 'confirm';
  /** Reason that is given with the decision, or shown with the question. */
  readonly why?: string;
}

/** The question for a person. Every field except `arguments` is safe to display on a terminal. */
export interface PermissionQuestion {
  /** Server id. */
  readonly server: string;
  /** Kind of the request: a tool call, a resource read or a prompt. */
  readonly kind: CallKind;
  /** The server's own name of the tool or prompt, or the URI of the resource. */
  readonly tool: string;
  /** The server's title for the tool. */
  readonly title?: string;
  /** The server's description of the tool. */
  readonly description?: string;
  /** A copy of the arguments as they would be sent: the only field that is not neutralized. */
  readonly arguments: unknown;
  /**
   * The arguments as JSON for a person, numbers as written; truncated after 4 KiB with a note of how much is missing.
   */
  readonly argumentsText: string;
  /** The server's unverified claims about the tool. */
  readonly annotations: ToolHints;
  /** Reason for the question. */
  readonly why: string;
}

/**
 * Yes or no. `remember` extends the answer to later calls: of this tool, of its whole server, or with these arguments.
 */
export type PermissionAnswer =
  | boolean
  | {
      /** Whether to make the call. */
      readonly allow: boolean;
      /** The scope in which later calls get the same answer without a question. */
      readonly remember?: 'tool' | 'server' | 'arguments';
      /** Reported to the caller. */
      readonly reason?: string;
    };

/** The decision about one call. */
export interface Decision {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** Server id. */
  readonly server: string;
  /** Kind of the request. */
  readonly kind: CallKind;
  /** The server's own name of the tool or prompt, or the URI of the resource. */
  readonly tool: string;
  /** Whether the call may be made. */
  readonly isAllowed: boolean;
  /** Source of the decision: a rule, a remembered answer, a new answer, or the default when nobody answered. */
  readonly by: 'rule' | 'remembered' | 'person' | 'default';
  /** Reason, on one line. */
  readonly reason: string;
}

/** A call that needs a decision. */
export interface PermissionRequest {
  readonly server: string;
  /** Stable for the same server; differs when the server may be a different one. */
  readonly identity: string;
  readonly kind: CallKind;
  readonly tool: string;
  /** The tool's definition as JSON text. */
  readonly definition: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** As the server wrote them. */
  readonly annotations?: unknown;
  readonly arguments: unknown;
}
