import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { frameLength } from '../../wire/frame.ts';
import { type Edit, type OutgoingMessage, spliceMembers } from '../../wire/json/splice.ts';
import { progressTokenText } from '../../wire/relay/progress-token.ts';
import type { Client } from '../client/client.ts';
import { ForwardedRequest, type ForwardedRequestOptions } from './forwarded-request.ts';
import type { ClientRequest } from './routing.ts';

export interface ForwardingOptions
  extends Pick<Partial<ForwardedRequestOptions>, 'rewrite' | 'onResult' | 'onError' | 'toolName'> {
  /** Replacements in the message that the upstream receives. */
  readonly edits?: readonly Edit[];
}

/** Forwards any request to one upstream. Only its id, its progress token and `edits` are changed. */
export function forwardRequest(
  client: Client,
  upstream: Upstream,
  request: ClientRequest,
  options: ForwardingOptions = {},
): void {
  const { message, frame, idText, method, reply } = request;
  const progressToken = progressTokenText(message, frame);
  const write = (id: number): OutgoingMessage | undefined => {
    const edits: Edit[] = [{ path: ['id'], text: String(id) }, ...(options.edits ?? [])];
    if (progressToken !== undefined) edits.push({ path: ['params', '_meta', 'progressToken'], text: String(id) });
    return spliceMembers(frame, edits);
  };
  if (write(0) === undefined) throw new AppError('INVALID_REQUEST', `${method}: this request cannot be passed on.`);
  client.forward(
    new ForwardedRequest({
      client,
      upstream,
      idText,
      method,
      toolName: options.toolName,
      progressToken,
      isRepeatable: false,
      bytes: frameLength(frame),
      write: (id) => write(id) ?? '',
      reply,
      rewrite: options.rewrite,
      onResult: options.onResult,
      onError: options.onError,
    }),
  );
}
