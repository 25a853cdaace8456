import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import { spliceMembers } from '../../wire/json/splice.ts';
import { isObject, type JsonRpcMessage } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';

/** Subscribes a restarted server to every resource that clients are still subscribed to. */
export function replaySubscriptions(upstream: Upstream, clients: ReadonlySet<Client>): void {
  const uris = new Set<string>();
  for (const { subscriptions } of clients) {
    for (const subscribed of subscriptions.values()) if (subscribed.upstream === upstream) uris.add(subscribed.uri);
  }
  // If the resource no longer exists, the client gets the error when it reads the resource.
  for (const uri of uris) void upstream.request('resources/subscribe', { uri }).catch(() => undefined);
}

/** Unsubscribes from the resources that only this client was subscribed to, because it leaves. */
export function releaseSubscriptions(client: Client, clients: ReadonlySet<Client>): void {
  for (const { upstream, uri } of client.subscriptions.values()) {
    // A server that is not running forgets its subscriptions by itself.
    if (upstream.state.kind !== 'ready' || hasOtherSubscriber(upstream, uri, clients, client)) continue;
    // Fails if the resource no longer exists, which needs no handling.
    void upstream.request('resources/unsubscribe', { uri }).catch(() => undefined);
  }
  client.subscriptions.clear();
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

/**
 * Forwards a resource update to its subscribers, each under the URI that it subscribed with. An update of a resource
 * below a subscribed URI keeps its own URI.
 */
export function forwardResourceUpdate(
  upstream: Upstream,
  message: JsonRpcMessage,
  frame: Frame,
  clients: ReadonlySet<Client>,
): void {
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
  return subscribedHere.some(([, subscribed]) => uri.startsWith(subscribed.uri)) ? uri : undefined;
}
