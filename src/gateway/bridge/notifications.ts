import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { type OutgoingMessage, spliceMembers } from '../../wire/json/splice.ts';
import { isObject, type JsonRpcMessage } from '../../wire/messages.ts';
import { toOutgoingMessage } from '../../wire/pass.ts';
import type { Client } from '../client/client.ts';
import { ForwardedRequest } from '../routing/forwarded-request.ts';

/** The clients that a message of this upstream may concern, when the message itself does not say. */
export function recipientsOf(upstream: Upstream, clients: ReadonlySet<Client>): Client[] {
  const all = [...clients].filter((client) => client.receivesFrom(upstream));
  if (all.length <= 1) return all;
  const calling = all.filter((client) => client.isCalling(upstream));
  if (calling.length === 1) return calling;
  // Nobody calls: it speaks to everyone. Several call: nobody can tell whose it is, and what is said to the one must
  // not be heard by the other.
  return calling.length === 0 ? all : [];
}

/** Passes on what an upstream says, to the client that it concerns and as it was said. */
export function forwardNotification(
  upstream: Upstream,
  message: JsonRpcMessage,
  frame: Frame,
  clients: ReadonlySet<Client>,
): void {
  const related = relatedRequest(upstream, message);
  if (related === undefined) {
    const forwarded = toOutgoingMessage(frame);
    if (forwarded !== undefined)
      for (const client of recipientsOf(upstream, clients)) client.serverRequests.notify(forwarded);
    return;
  }
  // It names the request that it belongs to, by an id which is ours: the client knows it by its own.
  const forwarded: OutgoingMessage | undefined = spliceMembers(frame, [
    { path: ['params', '_meta', 'requestId'], text: related.idText },
  ]);
  if (forwarded !== undefined) related.client.send(forwarded);
}

/** The request of a client that a message of its upstream names as the one it belongs to. */
export function relatedRequest(upstream: Upstream, { params }: JsonRpcMessage): ForwardedRequest | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined;
  const id = isObject(meta) ? meta['requestId'] : undefined;
  const call = id === undefined ? undefined : upstream.findCall(id);
  return call instanceof ForwardedRequest ? call : undefined;
}

/** The upstream withdraws a question: the one client that was asked it is told. */
export function forwardCancellation(
  upstream: Upstream,
  message: JsonRpcMessage,
  frame: Frame,
  clients: ReadonlySet<Client>,
): void {
  const params = rawMember(frameBytes(frame), 'params');
  const requestId = params && rawMember(Buffer.from(params), 'requestId');
  const reason = isObject(message.params) ? message.params['reason'] : undefined;
  if (requestId === undefined) return;
  for (const client of clients)
    client.serverRequests.cancel(upstream, requestId, typeof reason === 'string' ? reason : undefined);
}
