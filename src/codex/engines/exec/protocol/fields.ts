import { isObject } from '../../../../wire/messages.ts';
import type { Usage } from '../../../item-types.ts';

/** Returns a non-empty text, otherwise undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

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
