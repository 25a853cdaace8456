import type { UpstreamCall } from '../../upstream/connection/call.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { type OutgoingMessage, spliceMembers, toOutgoingMessage } from '../../wire/json/splice.ts';
import { isObject, type JsonRpcMessage } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import { ForwardedRequest } from '../routing/forwarded-request.ts';

/** Returns the clients that may receive a message of this upstream if the message names no request. */
export function recipientsOf(upstream: Upstream, clients: ReadonlySet<Client>): Client[] {
  const all = [...clients].filter((client) => client.receivesFrom(upstream));
  if (all.length <= 1) return all;
  const calling = all.filter((client) => client.isCalling(upstream));
  if (calling.length === 1) return calling;
  // Without pending calls, the message goes to all clients. With several calling clients, its recipient is unknown, and
  // a message for one client must not reach another.
  return calling.length === 0 ? all : [];
}

/** A message that an upstream sends on its own. */
export interface UpstreamMessage {
  readonly upstream: Upstream;
  readonly message: JsonRpcMessage;
  readonly frame: Frame;
  /** The call on whose response stream the message arrived, if known. */
  readonly call: UpstreamCall | undefined;
}

/** Forwards a notification of an upstream to the client of the related request, otherwise to `recipientsOf`. */
export function forwardNotification(received: UpstreamMessage, clients: ReadonlySet<Client>): void {
  const { upstream, frame } = received;
  const related = relatedRequest(received);
  if (related === undefined) {
    const forwarded = toOutgoingMessage(frame);
    if (forwarded === undefined) return;
    for (const client of recipientsOf(upstream, clients))
      client.serverRequests.notify(forwarded, client.onlyRequestTo(upstream));
    return;
  }
  // The message names its related request by our id. The client knows the request by its own id.
  const forwarded: OutgoingMessage | undefined = spliceMembers(frame, [
    { path: ['params', '_meta', 'requestId'], text: related.idText },
  ]);
  if (forwarded !== undefined) related.client.send(forwarded, related);
}

/**
 * Returns the pending client request that a server message relates to: the one that it names in `_meta.requestId`, or
 * the one on whose response stream it arrived.
 */
export function relatedRequest({ upstream, message, call }: UpstreamMessage): ForwardedRequest | undefined {
  const { params } = message;
  const meta = isObject(params) ? params['_meta'] : undefined;
  const id = isObject(meta) ? meta['requestId'] : undefined;
  const named = id === undefined ? undefined : upstream.findCall(id);
  return [named, call].find((candidate) => candidate instanceof ForwardedRequest);
}

/** Cancels a server request on the client that received it. */
export function forwardCancellation({ upstream, message, frame }: UpstreamMessage, clients: ReadonlySet<Client>): void {
  const params = rawMember(frameBytes(frame), 'params');
  const requestId = params && rawMember(Buffer.from(params), 'requestId');
  const reason = isObject(message.params) ? message.params['reason'] : undefined;
  if (requestId === undefined) return;
  for (const client of clients)
    client.serverRequests.cancel(upstream, requestId, typeof reason === 'string' ? reason : undefined);
}
