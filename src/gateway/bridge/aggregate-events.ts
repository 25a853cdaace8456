import { LIST_CHANGED_KINDS } from '../../upstream/catalog/listing.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import { toOutgoingMessage } from '../../wire/json/splice.ts';
import type { Client } from '../client/client.ts';
import type { ServerRegistry } from '../servers/server-registry.ts';
import type { TaskRoutes } from '../servers/task-routes.ts';
import { forwardLog, sendLogLevel } from './logging.ts';
import { forwardNotification, type UpstreamMessage } from './notifications.ts';
import { forwardResourceUpdate, replaySubscriptions } from './subscriptions.ts';
import { createTaskRecipients } from './task-recipients.ts';
import type { UpstreamEvents } from './upstream-listener.ts';

export interface AggregateEventsOptions {
  readonly clients: ReadonlySet<Client>;
  readonly registry: ServerRegistry;
  readonly tasks: TaskRoutes;
}

/** Handles what the servers of an aggregate gateway report, except for their states. */
export function createAggregateEvents({
  clients,
  registry,
  tasks,
}: AggregateEventsOptions): Omit<UpstreamEvents, 'stateChanged'> {
  const taskRecipients = createTaskRecipients(tasks, clients);
  const forwardUnrelated = (received: UpstreamMessage) => {
    taskRecipients.announced(received);
    forwardNotification(received, clients);
  };
  return {
    connected(upstream) {
      sendLogLevel(upstream, clients);
      replaySubscriptions(upstream, clients);
      registry.find(upstream)?.catalog.connected();
    },
    notification(received) {
      const { upstream, message, frame } = received;
      const kinds = LIST_CHANGED_KINDS.get(String(message.method));
      if (kinds !== undefined) {
        for (const kind of kinds) registry.find(upstream)?.catalog.changed(kind);
        return notifyAttached(upstream, frame, clients);
      }
      if (message.method === 'notifications/message') return forwardLog(received, clients);
      if (message.method === 'notifications/resources/updated') return forwardResourceUpdate(received, clients);
      if (!taskRecipients.notify(received)) forwardUnrelated(received);
    },
    taskClient: taskRecipients.find,
  };
}

/** Forwards a notification unchanged to the clients that are attached to this server. */
function notifyAttached(upstream: Upstream, frame: Frame, clients: ReadonlySet<Client>): void {
  const forwarded = toOutgoingMessage(frame);
  if (forwarded === undefined) return;
  for (const client of clients)
    if (client.isAttached && client.receivesFrom(upstream)) client.serverRequests.notify(forwarded);
}
