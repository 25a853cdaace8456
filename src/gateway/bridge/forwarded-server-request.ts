import { toJsonRpcError } from '../../base/error-translation.ts';
import type { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import { type Edit, type OutgoingMessage, spliceMembers } from '../../wire/json/splice.ts';
import { isNestedDeeper, MAX_DEPTH } from '../../wire/json-check/json-check.ts';
import { errorText, type JsonRpcMessage } from '../../wire/messages.ts';
import { progressTokenText } from '../../wire/relay/progress-token.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';
import { type RelayedRequest, tooDeep } from '../../wire/relay/relay-peer.ts';
import type { UnansweredRequest } from '../client/unanswered-request.ts';

export interface ForwardedServerRequestOptions {
  readonly upstream: Upstream;
  /** The upstream's id, as JSON text. */
  readonly idText: string;
  readonly message: JsonRpcMessage;
  readonly frame: Frame;
  /** The id of the request toward the client. */
  readonly id: number;
  /** The id of the client request that this server request relates to, as JSON text. */
  readonly relatedId: string | undefined;
  /** The client request on whose exchange it is sent. */
  readonly carrier: UnansweredRequest | undefined;
}

/** A server request that is forwarded to a client: sampling, elicitation, roots, or an unknown method. */
export class ForwardedServerRequest implements RelayedRequest {
  readonly upstream: Upstream;
  readonly idText: string;
  readonly id: number;
  readonly method: string;
  readonly carrier: UnansweredRequest | undefined;
  /** The upstream's progress token, as JSON text. */
  readonly #progressToken: string | undefined;
  readonly #relatedId: string | undefined;

  constructor({ upstream, idText, message, frame, id, relatedId, carrier }: ForwardedServerRequestOptions) {
    this.#relatedId = relatedId;
    this.carrier = carrier;
    this.upstream = upstream;
    this.idText = idText;
    this.id = id;
    this.method = String(message.method);
    this.#progressToken = progressTokenText(message, frame);
  }

  /**
   * Returns the request with our id, which is also the progress token. The message is not stored, because the response
   * may take an hour.
   */
  write(frame: Frame): OutgoingMessage | undefined {
    const edits: Edit[] = [{ path: ['id'], text: String(this.id) }];
    if (this.#progressToken !== undefined)
      edits.push({ path: ['params', '_meta', 'progressToken'], text: String(this.id) });
    if (this.#relatedId !== undefined) edits.push({ path: ['params', '_meta', 'requestId'], text: this.#relatedId });
    return spliceMembers(frame, edits);
  }

  result(result: ResultFrame): void {
    this.upstream.respond(result.withId(this.idText));
  }

  /** Forwards an error response of the client to the upstream, with only the id changed. */
  response(_message: JsonRpcMessage, frame: Frame): void {
    const forwarded = spliceMembers(frame, [{ path: ['id'], text: this.idText }]);
    if (isNestedDeeper(frame, MAX_DEPTH)) this.fail(tooDeep(this.method, MAX_DEPTH));
    else if (forwarded !== undefined) this.upstream.respond(forwarded);
    else
      this.upstream.respond(errorText(this.idText, { code: -32603, message: 'The client sent an invalid response.' }));
  }

  fail(error: AppError): void {
    this.upstream.respond(errorText(this.idText, toJsonRpcError(error)));
  }

  /** Forwards progress from the client under the token that the upstream chose. */
  progress(_params: Readonly<Record<string, unknown>>, frame: Frame): void {
    const token = this.#progressToken;
    const forwarded = token && spliceMembers(frame, [{ path: ['params', 'progressToken'], text: token }]);
    if (forwarded !== undefined) this.upstream.respond(forwarded);
  }
}
