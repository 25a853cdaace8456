import { isObject } from '../../../../wire/messages.ts';
import type { EngineEvent } from '../../../engine.ts';
import type { Usage } from '../../../item-types.ts';

type Members = Readonly<Record<string, unknown>>;

/** Codex counts a whole session; what one turn used is the difference to its beginning. */
export interface UsageMeter {
  turnStarted(sessionId: string): void;
  /** Codex has begun to work: what it used before it did, it used in earlier turns. */
  workStarted(sessionId: string): void;
  read(params: Members): readonly EngineEvent[];
  turnEnded(sessionId: string): void;
}

/** `isOld`: a Codex that tells what a resumed session used in the past only when its turn has begun. */
export function createUsageMeter(isOld: () => boolean = () => false): UsageMeter {
  /** What each session had used when it was last told. */
  const lastTotals = new Map<string, Usage>();
  /** What a session had used before its running turn. Undefined: it is not known yet. */
  const usageBeforeTurn = new Map<string, Usage | undefined>();
  const idle = new Set<string>();

  /** The first report of a turn comes after its first answer of the model, which it tells as well. */
  const beginning = (sessionId: string, total: Usage, answer: Usage): Usage =>
    usageBeforeTurn.get(sessionId) ?? subtract(total, answer);

  return {
    turnStarted(sessionId) {
      if (usageBeforeTurn.has(sessionId)) return;
      usageBeforeTurn.set(sessionId, lastTotals.get(sessionId));
      if (isOld()) idle.add(sessionId);
    },
    workStarted: (sessionId) => void idle.delete(sessionId),
    read({ threadId, tokenUsage }) {
      if (!isObject(tokenUsage)) return [];
      const sessionId = String(threadId);
      const total = toUsage(tokenUsage['total']);
      lastTotals.set(sessionId, total);
      const { modelContextWindow: window } = tokenUsage;
      const contextWindow = typeof window === 'number' ? window : undefined;
      // A session that is resumed tells what it used in the past.
      if (usageBeforeTurn.has(sessionId) && idle.has(sessionId)) usageBeforeTurn.set(sessionId, total);
      if (!usageBeforeTurn.has(sessionId) || idle.has(sessionId))
        return [{ kind: 'usage', total, turn: undefined, contextWindow }];
      const start = beginning(sessionId, total, toUsage(tokenUsage['last']));
      usageBeforeTurn.set(sessionId, start);
      return [{ kind: 'usage', total, turn: subtract(total, start), contextWindow }];
    },
    turnEnded: (sessionId) => void usageBeforeTurn.delete(sessionId),
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
