import type { JsonObject } from './json.ts';

/** One use of a tool. It adapts to the tools that the request offers (see surface.ts). */
export type Call =
  /** `options` are further arguments of Codex's own shell tool, such as `sandbox_permissions`. */
  | { readonly shell: string; readonly options?: JsonObject }
  /** The body, from `*** Begin Patch` to `*** End Patch`. */
  | { readonly patch: string }
  | { readonly mcp: { readonly server: string; readonly tool: string; readonly arguments?: JsonObject } }
  /** One of Codex's own tools by name, such as `request_user_input`. */
  | { readonly tool: { readonly name: string; readonly arguments?: JsonObject } }
  /** A program that the model writes, where Codex runs such programs. */
  | { readonly javascript: string };

/** Token numbers of one response; the names are those of `codex exec --json`. */
export type Usage = {
  readonly input_tokens?: number;
  readonly cached_input_tokens?: number;
  readonly output_tokens?: number;
  readonly reasoning_output_tokens?: number;
};

/**
 * The next action of the scripted model. A response of the model ends with the first use of a tool, or with the script,
 * because Codex ends the turn at a response without tools: `[message, shell, message]` is two responses.
 */
export type Step =
  | Call
  /** Several tools in one response. */
  | { readonly calls: readonly Call[] }
  | { readonly message: string }
  /** One message that arrives in pieces, with `paceMs` before each piece. */
  | { readonly deltas: readonly string[]; readonly paceMs?: number }
  | { readonly reasoning: string }
  | { readonly delayMs: number }
  | { readonly usage: Usage }
  /** The HTTP status instead of a response. */
  | { readonly error: number }
  | { readonly failed: { readonly code: string; readonly message: string } }
  /** Sends nothing more until the client disconnects or the endpoint closes. */
  | { readonly hang: true }
  /** The connection breaks in the middle of the stream. */
  | { readonly cut: true };

/** An invalid script. The message names the invalid part. */
export class BadScript extends Error {}

export function isCall(step: Step): step is Call {
  return 'shell' in step || 'patch' in step || 'mcp' in step || 'tool' in step || 'javascript' in step;
}

/** Returns whether the step ends the turn. */
export function isLast(step: Step): boolean {
  return 'error' in step || 'failed' in step || 'hang' in step || 'cut' in step;
}
