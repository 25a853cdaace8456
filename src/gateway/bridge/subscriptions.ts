import type { Upstream } from '../../upstream/upstream.ts';
import { spliceMembers } from '../../wire/json/splice.ts';
import { isObject } from '../../wire/messages.ts';
import { toPublicUri } from '../catalog/server-uri.ts';
import type { Client } from '../client/client.ts';
import type { ServerMessage } from './notifications.ts';

/** Subscribes a restarted server to every resource that clients are still subscribed to. */
export function replaySubscriptions(upstream: Upstream, clients: ReadonlySet<Client>): void {
  const uris = new Set<string>();
  for (const { subscriptions } of clients) {
    for (const subscribed of subscriptions.values()) if (subscribed.upstream === upstream) uris.add(subscribed.uri);
  }
  // If the resource no longer exists, the client gets the error when it reads the resource.
  for (const uri of uris) void upstream.request('resources/subscribe', { uri }).catch(() => undefined);
}

/** Returns whether another client is subscribed to this resource. */
export function hasOtherSubscriber(
  upstream: Upstream,
  uri: string,
  clients: ReadonlySet<Client>,
  except: Client,
): boolean {
  for (const client of clients) {
    if (client === except) continue;
    for (const subscribed of client.subscriptions.values()) {
      if (subscribed.upstream === upstream && subscribed.uri === uri) return true;
    }
  }
  return false;
}

/** Ends the subscriptions of a client to servers that it no longer sees. */
export function dropHiddenSubscriptions(client: Client, clients: ReadonlySet<Client>): void {
  dropSubscriptions(client, clients, (upstream) => !client.receivesFrom(upstream));
}

/** Ends the subscriptions of a client, and unsubscribes from the resources that only this client was subscribed to. */
export function dropSubscriptions(
  client: Client,
  clients: ReadonlySet<Client>,
  isMeant: (upstream: Upstream) => boolean = () => true,
): void {
  for (const [clientUri, { upstream, uri }] of client.subscriptions) {
    if (!isMeant(upstream)) continue;
    client.setSubscription(clientUri, undefined);
    if (upstream.state.kind !== 'ready' || hasOtherSubscriber(upstream, uri, clients, client)) continue;
    // Fails if the resource no longer exists, or if the server is being stopped: the subscription has ended as well.
    void upstream.request('resources/unsubscribe', { uri }).catch(() => undefined);
  }
}

/**
 * Forwards a resource update to its subscribers, each under the URI that it subscribed with. An update of a resource
 * below a subscribed URI keeps its own URI, in the form of the subscribed one.
 */
export function forwardResourceUpdate({ upstream, message, frame }: ServerMessage, clients: ReadonlySet<Client>): void {
  const uri = isObject(message.params) ? String(message.params['uri']) : '';
  for (const client of clients) {
    const clientUri = subscribedUri(client, upstream, uri);
    if (clientUri === undefined) continue;
    const forwarded = spliceMembers(frame, [{ path: ['params', 'uri'], text: JSON.stringify(clientUri) }]);
    if (forwarded !== undefined) client.serverRequests.notify(forwarded);
  }
}

function subscribedUri({ subscriptions }: Client, upstream: Upstream, uri: string): string | undefined {
  const subscribedHere = [...subscriptions].filter(([, subscribed]) => subscribed.upstream === upstream);
  const exact = subscribedHere.find(([, subscribed]) => subscribed.uri === uri);
  if (exact !== undefined) return exact[0];
  const above = subscribedHere.find(([, subscribed]) => uri.startsWith(subscribed.uri));
  if (above === undefined) return undefined;
  const [clientUri, subscribed] = above;
  return clientUri === toPublicUri(upstream.id, subscribed.uri) ? toPublicUri(upstream.id, uri) : uri;
}
