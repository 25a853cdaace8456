import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { EngineEvent } from '../../../engine.ts';
import { subtractUsage, type Usage } from '../../../item-types.ts';

/** Calculates the usage of a turn. Codex counts a whole session, so it is the difference to the start of the turn. */
export interface UsageMeter {
  turnStarted(sessionId: string): void;
  /** Codex has begun to work: any usage reported before belongs to earlier turns. */
  workStarted(sessionId: string): void;
  read(params: JsonObject): readonly EngineEvent[];
  turnEnded(sessionId: string): void;
}

/** Creates a meter. `isOld`: Codex reports the past usage of a resumed session only when its turn has begun. */
export function createUsageMeter(isOld: () => boolean = () => false): UsageMeter {
  /** The last reported total of each session. */
  const lastTotals = new Map<string, Usage>();
  /** The total of a session before its running turn. Undefined if it is not known yet. */
  const usageBeforeTurn = new Map<string, Usage | undefined>();
  const idle = new Set<string>();

  /** The first report of a turn follows the model's first response, and includes the usage of that response. */
  const beginning = (sessionId: string, total: Usage, answer: Usage): Usage =>
    usageBeforeTurn.get(sessionId) ?? subtractUsage(total, answer);

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
      // A resumed session reports its past usage.
      if (usageBeforeTurn.has(sessionId) && idle.has(sessionId)) usageBeforeTurn.set(sessionId, total);
      if (!usageBeforeTurn.has(sessionId) || idle.has(sessionId))
        return [{ kind: 'usage', total, turn: undefined, contextWindow }];
      const start = beginning(sessionId, total, toUsage(tokenUsage['last']));
      usageBeforeTurn.set(sessionId, start);
      return [{ kind: 'usage', total, turn: subtractUsage(total, start), contextWindow }];
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
