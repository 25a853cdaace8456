import { createDeferred } from '../../base/deferred.ts';
import type { AppError } from '../../base/errors.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { type JsonRpcMessage, RawJson, requestText, resultText } from '../../wire/messages.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';
import type { RelayedRequest } from '../../wire/relay/relay-peer.ts';
import { readResponse } from '../../wire/rpc/read-response.ts';
import type { Upstream } from '../upstream.ts';

/** A request to an upstream, from a client or our own. Ends with exactly one `result`, `response` or `fail` call. */
export interface UpstreamCall extends RelayedRequest {
  /** Timeout of this call; undefined: the upstream's own limit applies. */
  readonly timeoutMs: number | undefined;
  /** The call may be sent again if it was lost before any of it was sent. */
  readonly isIdempotent: boolean;
  /** Approximate size while it is queued. */
  readonly bytes: number;
  /** Returns the message with the id that the upstream must answer. */
  write(id: number): OutgoingMessage;
  /** Returns true while the upstream waits for someone else before it can answer. The call must not expire then. */
  isDeadlinePaused(): boolean;
  /** Moves an unsent call to the replacement of its server. Returns true if the successor may run it. */
  moveTo?(successor: Upstream): boolean;
  /** Set by the connection when it sends the call. */
  sent: SentCall | undefined;
}

export interface SentCall {
  readonly id: number;
  readonly sequence: number;
  /** When the upstream accepted the call. It may have been queued before it was sent. */
  readonly acceptedAt: number;
  readonly timeoutMs: number;
  /** The deadline was extended by progress, or by an elicitation or another pause. */
  wasExtended: boolean;
}

/** The response to a request of our own, as received. */
export interface OwnResponse {
  readonly frame: Frame;
}

/** A request made by the gateway itself: the handshake, the lists, the replay after a restart. */
export class OwnRequest implements UpstreamCall {
  readonly method: string;
  readonly timeoutMs: number;
  readonly isIdempotent = false;
  /** Lists are parsed item by item, so a too deeply nested definition affects only itself. */
  readonly acceptsAnyDepth = true;
  readonly bytes = 0;
  sent: SentCall | undefined;
  readonly #deferred = createDeferred<OwnResponse>();
  readonly completed = this.#deferred.promise;
  readonly #params: unknown;
  readonly #isDeadlinePaused: () => boolean;

  constructor(method: string, params: unknown, timeoutMs: number, isDeadlinePaused = () => false) {
    this.method = method;
    this.timeoutMs = timeoutMs;
    this.#params = params;
    this.#isDeadlinePaused = isDeadlinePaused;
    // The caller may have gone; this prevents an unhandled rejection.
    this.completed.catch(() => {});
  }

  write(id: number): string {
    return requestText(id, this.method, this.#params);
  }

  isDeadlinePaused(): boolean {
    return this.#isDeadlinePaused();
  }

  result({ frame }: ResultFrame): void {
    this.#deferred.resolve({ frame });
  }

  response(message: JsonRpcMessage, frame: Frame) {
    const outcome = readResponse(message, this.method);
    if ('error' in outcome) return this.#deferred.reject(outcome.error);
    // A valid response in an unusual form (its id is a string). Rebuild it, so all readers see the same form.
    const result = new RawJson(rawMember(frameBytes(frame), 'result') ?? 'null');
    this.#deferred.resolve({ frame: [Buffer.from(resultText('0', result))] });
  }

  progress(): void {}

  fail(error: AppError): void {
    this.#deferred.reject(error);
  }
}
