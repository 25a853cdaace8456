import { LIST_CHANGED_KINDS } from '../../upstream/catalog/listing.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import { toOutgoingMessage } from '../../wire/json/splice.ts';
import type { Client } from '../client/client.ts';
import type { ServerRegistry } from '../servers/server-registry.ts';
import type { Audience } from './attribution.ts';
import { forwardLog, sendLogLevel } from './logging.ts';
import { forwardNotification } from './notifications.ts';
import { forwardResourceUpdate, replaySubscriptions } from './subscriptions.ts';
import type { UpstreamEvents } from './upstream-listener.ts';

export interface AggregateEventsOptions {
  readonly audience: Audience;
  readonly registry: ServerRegistry;
}

/** Handles what the servers of an aggregate gateway report, except for their states. */
export function createAggregateEvents({
  audience,
  registry,
}: AggregateEventsOptions): Omit<UpstreamEvents, 'stateChanged'> {
  return {
    connected(upstream) {
      sendLogLevel(upstream, audience.clientsOf(upstream));
      replaySubscriptions(upstream, audience.all);
      registry.find(upstream)?.catalog.connected();
    },
    notification(received) {
      const { upstream, message, frame } = received;
      const kinds = LIST_CHANGED_KINDS.get(String(message.method));
      if (kinds !== undefined) {
        for (const kind of kinds) registry.find(upstream)?.catalog.changed(kind);
        return notifyAttached(upstream, frame, audience.all);
      }
      if (message.method === 'notifications/message') return forwardLog(received, audience);
      if (message.method === 'notifications/resources/updated') return forwardResourceUpdate(received, audience.all);
      forwardNotification(received, audience);
    },
  };
}

/** Forwards a notification unchanged to the clients that are attached to this server. */
function notifyAttached(upstream: Upstream, frame: Frame, clients: ReadonlySet<Client>): void {
  const forwarded = toOutgoingMessage(frame);
  if (forwarded === undefined) return;
  for (const client of clients) if (client.isAttachedTo(upstream)) client.serverRequests.notify(forwarded);
}
