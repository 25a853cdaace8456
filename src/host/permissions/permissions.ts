import { callSafely } from '../../base/call-safely.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';
import { displayName } from './confirmation-question.ts';
import { createDecider, type Outcome } from './decider.ts';
import { withoutDecisions } from './remembered-decisions.ts';
import { openRememberedFile } from './remembered-file.ts';
import { createRememberedStore } from './remembered-store.ts';
import { type CallKind, readRules } from './rules.ts';
import type { ToolHints } from './tool-hints.ts';

/** How an application decides which calls of tools are made. Without anything, none is. */
export interface PermissionOptions {
  /** Looked at in their order, and the first that matches counts; where none does, a person is asked. */
  readonly rules?: readonly PermissionRule[];
  /** Asks a person. Without it, what needs confirmation is denied. */
  readonly confirm?: (
    question: PermissionQuestion,
    options: { readonly signal: AbortSignal | undefined },
  ) => PermissionAnswer | Promise<PermissionAnswer>;
  /** Where remembered decisions are kept from run to run; without it, as long as the host lives. */
  readonly file?: string;
  /** Told of every decision. */
  readonly onDecision?: (decision: Decision) => void;
}

/** Matches a call when everything that it names does; what it does not name may be anything. */
export interface PermissionRule {
  /** Ids of servers, or patterns in which `*` stands for any text; one of them has to match. */
  readonly server?: string | readonly string[];
  /** The server's own names of its tools, or patterns with `*`; one of them has to match. */
  readonly tool?: string | readonly string[];
  /** The same for URIs of resources that are read. A rule names tools, resources or prompts, or is for all of them. */
  readonly resource?: string | readonly string[];
  /** The same for prompts, where the model may have them. */
  readonly prompt?: string | readonly string[];
  /**
   * What the server says of its tool; where it says nothing, MCP's own assumptions hold. A rule that allows by this has
   * to name its servers in full. One that denies or asks by it is as good as the server's word: do not let a rule that
   * allows everything follow.
   */
  readonly annotations?: ToolHints;
  /**
   * By path (`a.b`, or `a\\.b` for a key with a dot), what the value there is as text: a pattern with `*` for the whole of
   * it, or an expression, which has to cover the whole of it where the rule allows and is looked for anywhere where it
   * denies or asks. Where the arguments can be read in several ways, as with both `a.b` and `a\\.b`, and only some of
   * them fit, the strictest outcome counts: a rule that denies does, one that allows does not, and one that asks asks
   * whatever was permitted before, unless a later rule denies.
   */
  readonly arguments?: Readonly<Record<string, string | RegExp>>;
  /** What happens to a call that matches; `confirm` asks a person, unless a remembered decision covers the call. */
  readonly decide: 'allow' | 'deny' | 'confirm';
  /** The reason that is given with the decision, or shown with the question. */
  readonly why?: string;
}

/** What a person is asked. All of it is fit to be shown on a terminal. */
export interface PermissionQuestion {
  /** The id of the server. */
  readonly server: string;
  /** What is asked for: a call of a tool, a read of a resource, or a prompt. */
  readonly kind: CallKind;
  /** The server's own name of the tool or the prompt, or the URI of the resource. */
  readonly tool: string;
  /** The title that the server gives the tool. */
  readonly title?: string;
  /** What the server says that the tool does. */
  readonly description?: string;
  /** A copy of the arguments of the call as they would be sent: the one field that is not made harmless. */
  readonly arguments: unknown;
  /** The same as JSON for a person, numbers as they are written; after 4 KiB with a word about how much is not shown. */
  readonly argumentsText: string;
  /** What the server claims about the tool, which nobody has checked. */
  readonly annotations: ToolHints;
  /** Why this is asked. */
  readonly why: string;
}

/** Yes or no; or with `remember`, for how much it counts from now on: this tool, its whole server, or these arguments. */
export type PermissionAnswer =
  | boolean
  | {
      /** Whether the call is made. */
      readonly allow: boolean;
      /** For what the same answer is given without a question from now on. */
      readonly remember?: 'tool' | 'server' | 'arguments';
      /** Given to whoever wanted to make the call. */
      readonly reason?: string;
    };

/** What was decided about one call. */
export interface Decision {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The id of the server. */
  readonly server: string;
  /** What was asked for. */
  readonly kind: CallKind;
  /** The server's own name of the tool or the prompt, or the URI of the resource. */
  readonly tool: string;
  /** Whether the call may be made. */
  readonly isAllowed: boolean;
  /** What decided: a rule, an earlier answer, an answer, or that nobody answered. */
  readonly by: 'rule' | 'remembered' | 'person' | 'default';
  /** Why, on one line. */
  readonly reason: string;
}

/** A call that somebody wants to make. */
export interface PermissionRequest {
  readonly server: string;
  /** The same for the same server, and another one when the server may be another. */
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

export interface Permissions {
  /** Never rejects: what goes wrong is a denial with its reason. */
  decide(call: PermissionRequest, signal?: AbortSignal): Promise<Decision>;
  /**
   * Forgets remembered decisions: of a tool, of a whole server, or all. Throws when their file cannot be changed, because
   * they count as before then.
   */
  forget(server?: string, tool?: string): void;
}

export interface PermissionContext {
  readonly now: () => number;
  readonly warn: (text: string) => void;
  /** Fires when nobody will be asked any more. */
  readonly closing?: AbortSignal | undefined;
}

/** Throws `USAGE` for options that would not do what they seem to say. */
export function createPermissions(options: PermissionOptions, context: PermissionContext): Permissions {
  checkOptions(options);
  const { confirm, file, onDecision } = options;
  const { now, warn, closing } = context;
  const rules = readRules(options.rules);
  const store = file === undefined ? createRememberedStore() : openRememberedFile(file, warn);
  const decideCall = createDecider({ rules, confirm, store, now, warn, closing });

  const notify = (decision: Decision) => {
    callSafely(
      () => onDecision?.(decision),
      (error) => warn(`onDecision failed: ${messageOf(error)}`),
    );
  };

  return {
    async decide(call, signal) {
      const { server, kind, tool } = call;
      const verdict = await decideCall(call, signal).catch(toDenial);
      const decision = { at: now(), server: displayName(server), kind, tool: displayName(tool), ...verdict };
      notify(decision);
      return decision;
    },
    forget: (server, tool) => store.updateNow((decisions) => withoutDecisions(decisions, { server, tool })),
  };
}

function checkOptions(options: unknown): void {
  if (!isObject(options)) throw new AppError('USAGE', 'permissions must be an object.');
  for (const [key, value] of Object.entries(options)) {
    const kind = OPTION_KINDS.get(key);
    if (kind === undefined) {
      const known = [...OPTION_KINDS.keys()].join(', ');
      throw new AppError('USAGE', `permissions.${oneLine(key)} is unknown: there are ${known}.`);
    }
    if (value !== undefined && (typeof value !== kind.type || value === ''))
      throw new AppError('USAGE', `permissions.${key} must be ${kind.text}.`);
  }
}

const OPTION_KINDS: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  ['rules', { type: 'object', text: 'a list of rules' }],
  ['confirm', { type: 'function', text: 'a function that asks a person' }],
  ['file', { type: 'string', text: 'the path of a file' }],
  ['onDecision', { type: 'function', text: 'a function' }],
]);

/** Whatever it was that we did not expect, it is no permission. */
function toDenial(error: unknown): Outcome {
  return { isAllowed: false, by: 'default', reason: oneLine(`it could not be decided: ${messageOf(error)}`, 500) };
}
