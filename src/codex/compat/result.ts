import type { AnyToolCallResult } from '../../serve/protocol.ts';
import type { TurnEnd } from '../engine.ts';
import type { Turn } from '../sessions/turn.ts';

export type CompatResult = AnyToolCallResult &
  ({ readonly structuredContent: Readonly<Record<string, unknown>> } | { readonly isError: true });

/** Returns the result of a call after its turn: the last message of Codex, or the reason why there is none. */
export function toResult(threadId: string, turn: Turn, warnings: readonly string[]): CompatResult {
  const { end } = turn;
  if (end?.status !== 'completed') return failure(failureMessage(end), threadId, warnings);
  const content = turn.lastMessage ?? '';
  return { structuredContent: { threadId, content }, content: toTexts(content, warnings) };
}

/** Returns the result of a failed call. Includes the session id, if any, so that a client can continue the session. */
export function failure(text: string, threadId?: string, warnings: readonly string[] = []): CompatResult {
  const structured = threadId === undefined ? {} : { structuredContent: { threadId, content: text } };
  return { isError: true, content: toTexts(text, warnings), ...structured };
}

function failureMessage(end: Exclude<TurnEnd, { status: 'completed' }> | undefined): string {
  return end?.status === 'failed' ? end.failure.message : 'The turn was interrupted.';
}

/** Adds warnings as separate texts, so that the first text stays compatible. */
function toTexts(text: string, warnings: readonly string[]) {
  return [text, ...warnings.map((warning) => `Warning: ${warning}`)].map((line) => ({ type: 'text', text: line }));
}
