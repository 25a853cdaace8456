import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { frameLength } from '../../wire/frame.ts';
import { type Edit, type Outgoing, spliceMembers } from '../../wire/json/splice.ts';
import { progressTokenText } from '../../wire/relay/progress-token.ts';
import type { Client } from '../client/client.ts';
import { Forward, type ForwardOptions } from './forwarded-request.ts';
import type { ClientRequest } from './routing.ts';

export interface RelayOptions extends Pick<Partial<ForwardOptions>, 'rewrite' | 'onResult' | 'onError' | 'toolName'> {
  /** What the upstream is to read instead of what the client wrote. */
  readonly edits?: readonly Edit[];
}

/** Passes a request of any kind on to one upstream: everything but its id, its progress token and `edits` stays. */
export function relayRequest(
  client: Client,
  upstream: Upstream,
  request: ClientRequest,
  options: RelayOptions = {},
): void {
  const { message, frame, idText, method, reply } = request;
  const progressToken = progressTokenText(message, frame);
  const write = (id: number): Outgoing | undefined => {
    const edits: Edit[] = [{ path: ['id'], text: String(id) }, ...(options.edits ?? [])];
    if (progressToken !== undefined) edits.push({ path: ['params', '_meta', 'progressToken'], text: String(id) });
    return spliceMembers(frame, edits);
  };
  if (write(0) === undefined) throw new AppError('INVALID_REQUEST', `${method}: this request cannot be passed on.`);
  client.begin(
    new Forward({
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
