import { AppError } from '../../base/errors.ts';
import type { SentCall, UpstreamCall } from '../../upstream/connection/call.ts';
import { toLostCallError } from '../../upstream/connection/lost-call.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { type OutgoingMessage, outgoingText, spliceMembers } from '../../wire/json/splice.ts';
import { wellFormedJson } from '../../wire/json/well-formed-json.ts';
import { checkJson } from '../../wire/json-check/json-check.ts';
import { errorText, isObject, type JsonRpcMessage, RawJson, resultText } from '../../wire/messages.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';
import { tooDeep } from '../../wire/relay/relay-peer.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import { readResponse } from '../../wire/rpc/read-response.ts';
import type { Client } from '../client/client.ts';
import { toParsable } from '../client/parser-limits.ts';
import type { UnansweredRequest } from '../client/unanswered-request.ts';
import { type ErrorContext, failureResponse, upstreamErrorResponse } from './error-response.ts';

/** Everything needed to forward a client request to one upstream. */
export interface ForwardedRequestOptions {
  readonly client: Client;
  readonly request: ForwardableRequest;
  readonly target: ForwardTarget;
  readonly exchange: Exchange;
  readonly hooks?: ResponseHooks | undefined;
}

/** A request as the client sent it. A `CallFrame` is one. */
export interface ForwardableRequest {
  /** The client's id, as JSON text. */
  readonly idText: string;
  /** Default: `tools/call`. */
  readonly method?: string;
  /** The name that the client used for the tool. */
  readonly name: string | undefined;
  /** The URI that the client used for the resource. */
  readonly uri?: string | undefined;
  /** The client's progress token, as JSON text. */
  readonly progressToken: string | undefined;
  readonly bytes: number;
  /** Parses the `_meta` of the request. */
  parseMeta(): unknown;
  /** Returns the message for the server, with this id. For a tool call, the tool name is replaced too. */
  write(id: number, upstreamName: string): OutgoingMessage;
}

interface ForwardTarget {
  readonly upstream: Upstream;
  /** The server's own name for the tool. Empty for other requests. */
  readonly upstreamName: string;
  /** Whether the request may run twice. */
  readonly isIdempotent: boolean;
}

export interface ResponseHooks {
  /** Returns the response to send instead of the original, or undefined to send the original. */
  readonly rewrite?: ((result: ResultFrame, idText: string) => OutgoingMessage | undefined) | undefined;
  /** Called with the result before it is sent to the client. */
  readonly onResult?: ((result: ResultFrame) => void) | undefined;
  /** Handles an error instead of the client. Returns false to forward the error to the client. */
  readonly onError?: ((code: number) => boolean) | undefined;
}

/** A client request that is forwarded to an upstream. It is answered exactly once, unless cancelled. */
export class ForwardedRequest implements UpstreamCall, UnansweredRequest {
  readonly client: Client;
  readonly idText: string;
  readonly exchange: Exchange;
  readonly method: string;
  readonly isIdempotent: boolean;
  readonly bytes: number;
  readonly timeoutMs = undefined;
  /** Changes if the upstream is replaced before the request is sent. */
  upstream: Upstream;
  sent: SentCall | undefined;
  slot = 0;
  sequence = 0;
  readonly #request: ForwardableRequest;
  readonly #upstreamName: string;
  readonly #hooks: ResponseHooks | undefined;

  constructor({ client, request, target, exchange, hooks }: ForwardedRequestOptions) {
    this.client = client;
    this.upstream = target.upstream;
    this.idText = request.idText;
    this.exchange = exchange;
    this.method = request.method ?? 'tools/call';
    this.isIdempotent = target.isIdempotent;
    this.bytes = request.bytes;
    this.#request = request;
    this.#upstreamName = target.upstreamName;
    this.#hooks = hooks;
  }

  write(id: number): OutgoingMessage {
    return this.#request.write(id, this.#upstreamName);
  }

  result(result: ResultFrame) {
    const answer = this.#toParsable(result);
    if (answer === undefined) return this.fail(tooDeep(this.method, this.client.parserLimits.maxDepth));
    this.#hooks?.onResult?.(result);
    this.#reply(answer);
  }

  /** Handles every response that is not a plain result: an error, or an invalid response. */
  response(message: JsonRpcMessage, frame: Frame) {
    const outcome = readResponse(message, this.method);
    if ('result' in outcome) {
      const json = rawMember(frameBytes(frame), 'result') ?? JSON.stringify(outcome.result);
      const withId = (text: string) => resultText(text, new RawJson(json));
      return this.result({ id: this.sent?.id ?? 0, frame, ...checkJson([Buffer.from(withId('0'))]), withId });
    }
    if (outcome.error.code === 'BAD_ANSWER') return this.fail(outcome.error);
    const code = isObject(message.error) ? Number(message.error['code']) : 0;
    if (this.#hooks?.onError?.(code) === true) return this.client.removeUnanswered(this);
    if (code === URL_ELICITATION_REQUIRED) this.#recordElicitations(message.error);
    this.#reply(this.#errorAnswer(message.error, frame) ?? this.#errorAnswer(withoutData(message.error), []));
  }

  /** Records elicitations that the client learns of from an error. The server notifies it when they are complete. */
  #recordElicitations(error: unknown): void {
    const data = isObject(error) ? error['data'] : undefined;
    const elicitations = isObject(data) && Array.isArray(data['elicitations']) ? data['elicitations'] : [];
    for (const one of elicitations) this.client.serverRequests.recordElicitation(this.upstream, one);
  }

  /** Returns undefined if the result is nested too deep for the client. */
  #toParsable(result: ResultFrame): OutgoingMessage | undefined {
    const { parserLimits } = this.client;
    const rewritten = this.#hooks?.rewrite?.(result, this.idText);
    if (rewritten !== undefined) return toParsable(rewritten, parserLimits);
    if (result.depth > parserLimits.maxDepth) return undefined;
    const answer = result.withId(this.idText);
    const isReadable = parserLimits.acceptsLoneSurrogates || !result.hasLoneSurrogates;
    return isReadable ? answer : wellFormedJson(outgoingText(answer));
  }

  /** Returns undefined if the client could not parse the response. */
  #errorAnswer(error: unknown, frame: Frame): OutgoingMessage | undefined {
    const normalized = upstreamErrorResponse(this.idText, error, this.#context(), this.client.errorStyle);
    const untouched = () => spliceMembers(frame, [{ path: ['id'], text: this.idText }]);
    return toParsable(normalized ?? untouched() ?? errorText(this.idText, error as never), this.client.parserLimits);
  }

  fail(error: AppError): void {
    const write = (failure: AppError) =>
      toParsable(
        failureResponse(this.idText, failure, this.#context(), this.client.errorStyle),
        this.client.parserLimits,
      );
    this.#reply(write(error) ?? write(new AppError(error.code, error.message)));
  }

  progress(_params: Readonly<Record<string, unknown>>, frame: Frame): void {
    const token = this.#request.progressToken;
    if (token === undefined) return;
    const forwarded = spliceMembers(frame, [{ path: ['params', 'progressToken'], text: token }]);
    if (forwarded !== undefined) this.client.send(forwarded, this);
  }

  moveTo(successor: Upstream): boolean {
    if (this.client.isAttached) return false;
    this.upstream = successor;
    return true;
  }

  /** Pauses the deadline while the upstream itself waits for a response from this client. */
  isDeadlinePaused(): boolean {
    return this.client.serverRequests.hasPendingFrom(this.upstream);
  }

  /** Cancels the request for the client. No response is sent. */
  cancel(reason: string): void {
    this.upstream.cancel(this, reason);
    this.#reply(undefined);
  }

  /** Cancels the request on the upstream and sends an error to the client. */
  abandon(reason: AppError): void {
    const wasSent = this.upstream.cancel(this, reason.message);
    this.fail(wasSent ? toLostCallError(this, reason) : reason);
  }

  #reply(answer: OutgoingMessage | undefined): void {
    const { sent } = this;
    if (this.method === 'tools/call' && sent !== undefined)
      this.upstream.history.callStats.record(performance.now() - sent.acceptedAt);
    this.client.removeUnanswered(this);
    this.exchange.respond(answer);
  }

  #context(): ErrorContext {
    const { name, uri } = this.#request;
    return { method: this.method, publicName: name, serverName: this.upstream.id, uri };
  }
}

const URL_ELICITATION_REQUIRED = -32_042;

/** Drops the data of an error that is nested too deep for the client. */
function withoutData(error: unknown): unknown {
  return isObject(error) ? { code: error['code'], message: error['message'] } : error;
}
