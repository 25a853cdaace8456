import { isObject, type JsonRpcMessage } from './messages.ts';

/** Notifications that a server may still answer, though it should not: some do, with "method not found" and no id. */
export interface NotificationResponses {
  add(lastRequestId: number): void;
  requestAnswered(id: number): void;
  isAnsweredBy(message: JsonRpcMessage): boolean;
}

export function createNotificationResponses(): NotificationResponses {
  let count = 0;
  let requestBefore = 0;
  return {
    add(lastRequestId) {
      count = Math.min(count + 1, MAX_NOTIFICATIONS);
      requestBefore = lastRequestId;
    },
    requestAnswered(id) {
      // Whoever answers a later request has had its say about the notifications before it.
      if (id > requestBefore) count = 0;
    },
    isAnsweredBy({ error }) {
      const isTheirs = count > 0 && isObject(error) && error['code'] === METHOD_NOT_FOUND;
      if (isTheirs) count--;
      return isTheirs;
    },
  };
}

const METHOD_NOT_FOUND = -32601;
const MAX_NOTIFICATIONS = 100;
