import type { AppError } from '../../base/errors.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { type JsonRpcMessage, RawJson, requestText, resultText } from '../../wire/messages.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';
import type { RelayedRequest } from '../../wire/relay/relay-peer.ts';
import { readResponse } from '../../wire/rpc/read-response.ts';
import type { Upstream } from '../upstream.ts';

/** A request on its way to an upstream, whoever asked. Told exactly once, by `result`, `answer` or `fail`. */
export interface UpstreamCall extends RelayedRequest {
  /** How long it may take, when it is not the upstream's own limit that counts. */
  readonly timeoutMs: number | undefined;
  /** It may be sent a second time, if the first was lost before it left us. */
  readonly isIdempotent: boolean;
  /** Roughly its size, while it waits. */
  readonly bytes: number;
  /** The message, under the id that the upstream is to answer. */
  write(id: number): OutgoingMessage;
  /** It must not expire yet: the upstream waits for somebody else before it can answer. */
  isDeadlinePaused(): boolean;
  /** It has not been sent, and its server is being replaced: true when another may be asked instead. */
  moveTo?(successor: Upstream): boolean;
  /** Where it was sent, and since when it is waited for; kept by the connection. */
  sent: SentCall | undefined;
}

export interface SentCall {
  readonly id: number;
  readonly sequence: number;
  readonly sentAt: number;
  readonly timeoutMs: number;
  /** It has had more time than that, by progress or because somebody was being asked. */
  wasExtended: boolean;
}

/** The answer to a request of our own, as it came. */
export interface OwnResponse {
  readonly frame: Frame;
}

/** A request that we make for ourselves: the handshake, the lists, what is replayed after a restart. */
export class OwnRequest implements UpstreamCall {
  readonly method: string;
  readonly timeoutMs: number;
  readonly isIdempotent = false;
  /** Lists are read entry by entry: a definition that is nested too deep costs only itself. */
  readonly acceptsAnyDepth = true;
  readonly bytes = 0;
  sent: SentCall | undefined;
  readonly completed: Promise<OwnResponse>;
  readonly #params: unknown;
  readonly #isDeadlinePaused: () => boolean;
  #resolve: (answer: OwnResponse) => void = () => {};
  #reject: (error: AppError) => void = () => {};

  constructor(method: string, params: unknown, timeoutMs: number, isDeadlinePaused = () => false) {
    this.method = method;
    this.timeoutMs = timeoutMs;
    this.#params = params;
    this.#isDeadlinePaused = isDeadlinePaused;
    this.completed = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever asked may have left: its failure is no unhandled one.
    this.completed.catch(() => {});
  }

  write(id: number): string {
    return requestText(id, this.method, this.#params);
  }

  isDeadlinePaused(): boolean {
    return this.#isDeadlinePaused();
  }

  result({ frame }: ResultFrame): void {
    this.#resolve({ frame });
  }

  response(message: JsonRpcMessage, frame: Frame) {
    const outcome = readResponse(message, this.method);
    if ('error' in outcome) return this.#reject(outcome.error);
    // An unusual but sound answer (its id was a string): put anew, so that everybody reads the same form.
    const result = new RawJson(rawMember(frameBytes(frame), 'result') ?? 'null');
    this.#resolve({ frame: [Buffer.from(resultText('0', result))] });
  }

  progress(): void {}

  fail(error: AppError): void {
    this.#reject(error);
  }
}
