import { isObject, type JsonRpcMessage } from './messages.ts';

/** Notifications that a server may still answer, though it should not: some do, with "method not found" and no id. */
export interface NotificationResponses {
  notificationSent(lastRequestId: number): void;
  responseReceived(id: number): void;
  isNotificationResponse(message: JsonRpcMessage): boolean;
}

export function createNotificationResponses(): NotificationResponses {
  let count = 0;
  let requestBefore = 0;
  return {
    notificationSent(lastRequestId) {
      count = Math.min(count + 1, MAX_NOTIFICATIONS);
      requestBefore = lastRequestId;
    },
    responseReceived(id) {
      // Whoever answers a later request has had its say about the notifications before it.
      if (id > requestBefore) count = 0;
    },
    isNotificationResponse({ error }) {
      const isTheirs = count > 0 && isObject(error) && error['code'] === METHOD_NOT_FOUND;
      if (isTheirs) count--;
      return isTheirs;
    },
  };
}

const METHOD_NOT_FOUND = -32601;
const MAX_NOTIFICATIONS = 100;
