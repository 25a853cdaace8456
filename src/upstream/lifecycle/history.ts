import type { AppError } from '../../base/errors.ts';
import { type CallStats, createCallStats } from './call-stats.ts';

/** Events of a server across restarts, for status reports. Times are in milliseconds since 1970. */
export interface History {
  readonly callStats: CallStats;
  /** When the server last became ready; undefined before the first time. */
  readonly lastConnectedAt: number | undefined;
  /** The last crash or failed call. It is kept after a recovery. */
  readonly lastError: { readonly error: AppError; readonly at: number } | undefined;
  /** Messages that were dropped, because they could have been for either of two clients. */
  readonly droppedMessages: number;
  messageDropped(): void;
  /** Called for each request that the server sends to its client. */
  serverRequest(method: unknown): void;
  connected(): void;
  /** Called when the server crashed, or when a call failed without a response. */
  failed(error: AppError): void;
}

export function createHistory(): History {
  const callStats = createCallStats();
  let lastConnectedAt: number | undefined;
  let lastError: History['lastError'];
  let droppedMessages = 0;
  return {
    callStats,
    get lastConnectedAt() {
      return lastConnectedAt;
    },
    get lastError() {
      return lastError;
    },
    get droppedMessages() {
      return droppedMessages;
    },
    messageDropped() {
      droppedMessages++;
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
