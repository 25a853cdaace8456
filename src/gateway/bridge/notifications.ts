import type { UpstreamCall } from '../../upstream/connection/call.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { spliceMembers, toOutgoingMessage } from '../../wire/json/splice.ts';
import { isObject, type JsonRpcMessage } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import { ForwardedRequest } from '../routing/forwarded-request.ts';
import { type Audience, attributeNotification } from './attribution.ts';
import { isAboutTask, type TaskRecipients } from './task-recipients.ts';

/** A request or notification of a server. */
export interface ServerMessage {
  readonly upstream: Upstream;
  readonly message: JsonRpcMessage;
  readonly frame: Frame;
  /** The call on whose response stream it arrived, if known. */
  readonly call: UpstreamCall | undefined;
}

/** Forwards a notification to the client whose request, task or elicitation it names, otherwise as `attribute` decides. */
export function forwardNotification(notification: ServerMessage, audience: Audience): void {
  const ofTask = audience.tasks?.recipientsOf(notification);
  if (ofTask === undefined) forwardToOne(notification, audience);
  else notifyOfTask(notification, ofTask);
}

function forwardToOne(notification: ServerMessage, audience: Audience): void {
  const { upstream, frame } = notification;
  const related = relatedRequest(notification);
  if (related !== undefined) {
    // The message may name its request by our id. The client knows the request by its own id.
    const forwarded = spliceMembers(frame, [{ path: ['params', '_meta', 'requestId'], text: related.idText }]);
    if (forwarded !== undefined) related.client.send(forwarded, related);
    return;
  }
  const client = eliciting(notification, audience) ?? attributeNotification(upstream, audience);
  if (client === undefined) return;
  const announced = audience.tasks?.announced(notification, client);
  if (announced !== undefined) notifyOfTask(notification, announced);
  else notify(notification, client);
}

function notify({ upstream, frame }: ServerMessage, client: Client): void {
  const forwarded = toOutgoingMessage(frame);
  if (forwarded !== undefined) client.serverRequests.notify(forwarded, client.onlyRequestTo(upstream));
}

/** Notifies the clients of a task, and nobody else. */
function notifyOfTask({ upstream, message, frame }: ServerMessage, { clients, rewrite }: TaskRecipients): void {
  const forwarded = toOutgoingMessage(frame);
  if (forwarded === undefined) return;
  const rewritten = rewrite(forwarded);
  for (const client of clients) {
    // What a task reports belongs to no request of its client.
    const carrier = isAboutTask(message.method) ? undefined : client.onlyRequestTo(upstream);
    client.serverRequests.notify(rewritten, carrier);
  }
}

/** Returns the client that was sent the elicitation whose completion the server reports. */
function eliciting({ upstream, message }: ServerMessage, { all }: Audience): Client | undefined {
  if (message.method !== 'notifications/elicitation/complete' || !isObject(message.params)) return undefined;
  const id = message.params['elicitationId'];
  return [...all].find(({ serverRequests }) => serverRequests.knowsElicitation(upstream, id));
}

/**
 * Returns the pending client request that a server message relates to: the one that it names in `_meta.requestId`, or
 * the one on whose response stream it arrived.
 */
export function relatedRequest({
  upstream,
  message: { params },
  call,
}: Omit<ServerMessage, 'frame'>): ForwardedRequest | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined;
  const id = isObject(meta) ? meta['requestId'] : undefined;
  const named = id === undefined ? undefined : upstream.findCall(id);
  return [named, call].find((candidate) => candidate instanceof ForwardedRequest);
}

/** Cancels a server request on the client that received it. */
export function forwardCancellation({ upstream, message, frame }: ServerMessage, clients: ReadonlySet<Client>): void {
  const params = rawMember(frameBytes(frame), 'params');
  const requestId = params && rawMember(Buffer.from(params), 'requestId');
  const reason = isObject(message.params) ? message.params['reason'] : undefined;
  if (requestId === undefined) return;
  for (const client of clients)
    client.serverRequests.cancel(upstream, requestId, typeof reason === 'string' ? reason : undefined);
}
