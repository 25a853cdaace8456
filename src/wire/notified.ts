import { isObject, type JsonRpcMessage } from './messages.ts';

/** Detects responses to notifications. Servers must not send any, but some send "method not found" without an id. */
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
      // A server that responds to a later request has already handled the notifications before it.
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
