import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { frameLength } from '../../wire/frame.ts';
import { type Edit, type OutgoingMessage, spliceMembers } from '../../wire/json/splice.ts';
import { progressTokenText } from '../../wire/relay/progress-token.ts';
import type { CallFrame } from '../../wire/relay/read-call.ts';
import type { Client } from '../client/client.ts';
import { ForwardedRequest, type ForwardTarget, type Reply, type ResponseHooks } from './forwarded-request.ts';
import type { ClientRequest } from './routing.ts';

/** Forwards a tool call on the fast path: only the id, the name and the progress token are replaced. */
export function forwardToolCall(
  client: Client,
  request: CallFrame,
  reply: Reply,
  target: ForwardTarget,
  hooks?: ResponseHooks,
): void {
  client.forward(new ForwardedRequest({ client, request, target, reply, hooks }));
}

export interface ForwardingOptions extends ResponseHooks {
  /** The name that the client used for the tool. */
  readonly toolName?: string | undefined;
  /** Replacements in the message that the upstream receives. */
  readonly edits?: readonly Edit[];
}

/** Forwards any request to one upstream. Only its id, its progress token and `edits` are changed. */
export function forwardRequest(
  client: Client,
  upstream: Upstream,
  { message, frame, idText, method, reply }: ClientRequest,
  { toolName: name, edits: ownEdits = [], ...hooks }: ForwardingOptions = {},
): void {
  const progressToken = progressTokenText(message, frame);
  const write = (id: number): OutgoingMessage | undefined => {
    const edits: Edit[] = [{ path: ['id'], text: String(id) }, ...ownEdits];
    if (progressToken !== undefined) edits.push({ path: ['params', '_meta', 'progressToken'], text: String(id) });
    return spliceMembers(frame, edits);
  };
  if (write(0) === undefined) throw new AppError('INVALID_REQUEST', `${method}: this request cannot be forwarded.`);
  const bytes = frameLength(frame);
  const request = { idText, method, name, progressToken, bytes, write: (id: number) => write(id) ?? '' };
  const target = { upstream, toolName: '', isRepeatable: false };
  client.forward(new ForwardedRequest({ client, request, target, reply, hooks }));
}
