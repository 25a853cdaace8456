import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { frameLength } from '../../wire/frame.ts';
import { type Edit, type OutgoingMessage, spliceMembers } from '../../wire/json/splice.ts';
import { isObject } from '../../wire/messages.ts';
import { progressTokenText } from '../../wire/relay/progress-token.ts';
import type { Client } from '../client/client.ts';
import type { ThreadSource } from '../servers/occupants.ts';
import { type ForwardableRequest, ForwardedRequest, type ResponseHooks } from './forwarded-request.ts';
import type { ClientRequest } from './routing.ts';

export interface ForwardingOptions extends ResponseHooks {
  /** The name that the client used for the tool. */
  readonly publicName?: string | undefined;
  /** The URI that the client used for the resource. */
  readonly uri?: string | undefined;
  /** Replacements in the message that the upstream receives. */
  readonly edits?: readonly Edit[];
}

/** Forwards any request to one upstream. Only its id, its progress token and `edits` are changed. */
export function forwardRequest(
  client: Client,
  upstream: Upstream,
  received: ClientRequest,
  { publicName, uri, edits = [], ...hooks }: ForwardingOptions = {},
): void {
  const request = { ...toForwardable(received, publicName, () => edits), uri };
  const target = { upstream, upstreamName: '', isIdempotent: false };
  client.forward(new ForwardedRequest({ client, request, target, exchange: received.exchange, hooks }));
}

/**
 * Returns the request in a form that can be forwarded: with an id and a progress token for the server, and with the
 * edits for the tool name on the server. Throws if its members cannot be replaced.
 */
export function toForwardable(
  { message, frame, idText, method }: ClientRequest,
  name: string | undefined,
  editsFor: (upstreamName: string) => readonly Edit[],
): ForwardableRequest {
  const progressToken = progressTokenText(message, frame);
  const write = (id: number, upstreamName: string): OutgoingMessage | undefined => {
    const edits: Edit[] = [{ path: ['id'], text: String(id) }, ...editsFor(upstreamName)];
    if (progressToken !== undefined) edits.push({ path: ['params', '_meta', 'progressToken'], text: String(id) });
    return spliceMembers(frame, edits);
  };
  if (write(0, '') === undefined) throw new AppError('INVALID_REQUEST', `${method}: this request cannot be forwarded.`);
  const bytes = frameLength(frame);
  const { parseMeta } = threadSource({ message });
  return {
    idText,
    method,
    name,
    progressToken,
    bytes,
    parseMeta,
    write: (id, upstreamName) => write(id, upstreamName) ?? '',
  };
}

/** Returns a source for the thread id of a request that is already parsed. */
export function threadSource({ message: { params } }: Pick<ClientRequest, 'message'>): Required<ThreadSource> {
  return { parseMeta: () => (isObject(params) ? params['_meta'] : undefined) };
}
