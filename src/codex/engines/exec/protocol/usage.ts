import { isObject } from '../../../../wire/messages.ts';
import type { Usage } from '../../../item-types.ts';

/** Reads Codex's token counts. Missing counts are 0: 0.92 does not report reasoning tokens. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const count = (name: string): number => {
    const number = value[name];
    return typeof number === 'number' && Number.isFinite(number) ? number : 0;
  };
  return {
    inputTokens: count('input_tokens'),
    cachedInputTokens: count('cached_input_tokens'),
    outputTokens: count('output_tokens'),
    reasoningOutputTokens: count('reasoning_output_tokens'),
  };
}

/** Returns the difference, which is never negative. */
export function usageSince(before: Usage, now: Usage): Usage {
  return {
    inputTokens: Math.max(0, now.inputTokens - before.inputTokens),
    cachedInputTokens: Math.max(0, now.cachedInputTokens - before.cachedInputTokens),
    outputTokens: Math.max(0, now.outputTokens - before.outputTokens),
    reasoningOutputTokens: Math.max(0, now.reasoningOutputTokens - before.reasoningOutputTokens),
  };
}
