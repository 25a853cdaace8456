import type { AppError } from '../../base/errors.ts';
import { type CallStats, createCallStats } from './call-stats.ts';

/** What happened to a server over all its lives, for whoever asks how it is. Times are in milliseconds since 1970. */
export interface History {
  readonly callStats: CallStats;
  /** When it was last ready; undefined before the first time. */
  readonly lastConnectedAt: number | undefined;
  /** Why it fell or refused a call the last time, also when it has recovered. */
  readonly lastError: { readonly error: AppError; readonly at: number } | undefined;
  /** The server asks something of whoever is connected. */
  serverRequest(method: unknown): void;
  connected(): void;
  /** It fell, or one of its calls failed without an answer. */
  failed(error: AppError): void;
}

export function createHistory(): History {
  const callStats = createCallStats();
  let lastConnectedAt: number | undefined;
  let lastError: History['lastError'];
  return {
    callStats,
    get lastConnectedAt() {
      return lastConnectedAt;
    },
    get lastError() {
      return lastError;
    },
    serverRequest(method) {
      if (method === 'elicitation/create' || method === 'sampling/createMessage') callStats.ignorePendingTimings();
    },
    connected() {
      lastConnectedAt = Date.now();
    },
    failed(error) {
      lastError = { error, at: Date.now() };
    },
  };
}
