import type { IncomingRequest } from '../wire/incoming.ts';
import { isObject } from '../wire/messages.ts';
import type { ClientLink } from './era.ts';

/** The streams of `subscriptions/listen` (2026-07-28): each stays open until its client cancels it or leaves. */
export interface Subscriptions {
  /** Resolves when the stream ends. */
  listen(request: IncomingRequest): Promise<void>;
  toolsChanged(): void;
  close(): void;
}

export function createSubscriptions(client: ClientLink): Subscriptions {
  const listening = new Set<IncomingRequest>();
  const ends = new Set<() => void>();
  const tagged = (request: IncomingRequest) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': request.id } });

  return {
    listen(request) {
      const wantsTools = asksForTools(request.params);
      client.notify('notifications/subscriptions/acknowledged', {
        ...tagged(request),
        notifications: wantsTools ? { toolsListChanged: true } : {},
      });
      if (wantsTools) listening.add(request);
      return new Promise((resolve) => {
        const end = () => {
          listening.delete(request);
          ends.delete(end);
          resolve();
        };
        ends.add(end);
        request.signal.addEventListener('abort', end);
      });
    },
    close() {
      for (const end of ends) end();
    },
    toolsChanged() {
      for (const request of listening) client.notify('notifications/tools/list_changed', tagged(request));
    },
  };
}

function asksForTools(params: unknown): boolean {
  const notifications = isObject(params) ? params['notifications'] : undefined;
  return isObject(notifications) && notifications['toolsListChanged'] === true;
}
