import type { AnyToolCallResult } from '../../serve/protocol.ts';
import type { TurnEnd } from '../engine.ts';
import type { Turn } from '../sessions/turn.ts';

export type CompatResult = AnyToolCallResult &
  ({ readonly structuredContent: Readonly<Record<string, unknown>> } | { readonly isError: true });

/** What a call gives when its turn is over: the last message of Codex, or why there is none. */
export function toResult(threadId: string, turn: Turn, warnings: readonly string[]): CompatResult {
  const { end } = turn;
  if (end?.status !== 'completed') return failure(whyNot(end), threadId, warnings);
  const content = turn.lastMessage ?? '';
  return { structuredContent: { threadId, content }, content: toTexts(content, warnings) };
}

/** A failed call. Where there is a session its id is told, so that it can be continued. */
export function failure(text: string, threadId?: string, warnings: readonly string[] = []): CompatResult {
  const structured = threadId === undefined ? {} : { structuredContent: { threadId, content: text } };
  return { isError: true, content: toTexts(text, warnings), ...structured };
}

function whyNot(end: Exclude<TurnEnd, { status: 'completed' }> | undefined): string {
  return end?.status === 'failed' ? end.failure.message : 'The turn was interrupted.';
}

/** Warnings are texts of their own: the first text is what it always was. */
function toTexts(text: string, warnings: readonly string[]) {
  return [text, ...warnings.map((warning) => `Warning: ${warning}`)].map((line) => ({ type: 'text', text: line }));
}
