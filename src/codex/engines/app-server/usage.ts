import { isObject } from '../../../wire/messages.ts';
import type { EngineEvent } from '../../engine.ts';
import type { Usage } from '../../words.ts';

type Members = Readonly<Record<string, unknown>>;

/** Codex counts a whole session; what one turn used is the difference to its beginning. */
export interface UsageMeter {
  read(params: Members): readonly EngineEvent[];
  turnEnded(sessionId: string): void;
}

export function createUsageMeter(): UsageMeter {
  /** What a session had used before its running turn. */
  const before = new Map<string, Usage>();

  return {
    read({ threadId, tokenUsage }) {
      if (!isObject(tokenUsage)) return [];
      const total = toUsage(tokenUsage['total']);
      const last = toUsage(tokenUsage['last']);
      const { modelContextWindow: window } = tokenUsage;
      const sessionId = String(threadId);
      // The first report of a turn comes after its first answer of the model, which is `last`.
      const start = before.get(sessionId) ?? subtract(total, last);
      before.set(sessionId, start);
      const contextWindow = typeof window === 'number' ? window : undefined;
      return [{ kind: 'usage', total, turn: subtract(total, start), contextWindow }];
    },
    turnEnded: (sessionId) => void before.delete(sessionId),
  };
}

function toUsage(raw: unknown): Usage {
  const count = (name: string) => {
    const value = isObject(raw) ? raw[name] : undefined;
    return typeof value === 'number' ? value : 0;
  };
  return {
    inputTokens: count('inputTokens'),
    cachedInputTokens: count('cachedInputTokens'),
    outputTokens: count('outputTokens'),
    reasoningOutputTokens: count('reasoningOutputTokens'),
  };
}

function subtract(total: Usage, part: Usage): Usage {
  return {
    inputTokens: total.inputTokens - part.inputTokens,
    cachedInputTokens: total.cachedInputTokens - part.cachedInputTokens,
    outputTokens: total.outputTokens - part.outputTokens,
    reasoningOutputTokens: total.reasoningOutputTokens - part.reasoningOutputTokens,
  };
}
