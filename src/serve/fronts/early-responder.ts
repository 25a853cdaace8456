import { createDeferred } from '../../base/deferred.ts';
import type { AppError } from '../../base/errors.ts';
import { type Frame, frameLength, frameText } from '../../wire/frame.ts';
import { MAX_DEPTH } from '../../wire/json-check/memory.ts';
import { isObject, RawJson, resultText } from '../../wire/messages.ts';
import type { StdioFront } from './stdio-front.ts';

/** Receives the messages once the server is loaded. */
export interface MessageReceiver {
  receive(frame: Frame): void;
  /** Receives a request that was already answered, with its id as JSON text and its response. */
  receiveAlreadyAnswered(frame: Frame, idText: string, answer: string): void;
  reportError(error: AppError, head?: Buffer): void;
  end(): void;
  /** Called when the client does not read as fast as the server writes; `onDrained` follows. */
  onFull?(): void;
  onDrained?(): void;
}

export interface EarlyResponderOptions {
  readonly front: StdioFront;
  /** Returns the response to `initialize`, or undefined if the loaded server must answer it. */
  readonly initialize: (params: unknown) => EarlyResponse | undefined;
  /** Called if stdin ends before any message. */
  readonly onSilentEnd?: () => void;
}

interface EarlyResponse {
  /** The result of `initialize`. */
  readonly result: unknown;
  /** The result of a `tools/list` that follows, as JSON. */
  readonly toolList?: string | undefined;
}

/** The request that the early responder answers next. */
type Expected =
  | { readonly method: 'initialize' }
  | { readonly method: 'tools/list'; readonly toolList: string }
  | { readonly method: undefined };

/** How long to wait for `tools/list` after `initialize` before loading the server anyway. */
const LIST_WITHIN_MS = 50;
const LOAD_AFTER_MS = 10;

/**
 * Reads stdin before the server is loaded. It answers `initialize`, and with a known tool list also `tools/list`, so
 * that a start takes the same time for a small and a large server. All other messages wait for the server.
 */
export class EarlyResponder {
  readonly #options: EarlyResponderOptions;
  readonly #queued: ((receiver: MessageReceiver) => void)[] = [];
  #receiver: MessageReceiver | undefined;
  #expected: Expected = { method: 'initialize' };
  #isSilent = true;
  readonly #loadRequested = createDeferred();
  /**
   * Resolves when the server should be loaded: the client needs it, has disconnected, or has stopped sending requests.
   */
  readonly loadRequested = this.#loadRequested.promise;

  constructor(options: EarlyResponderOptions) {
    this.#options = options;
    options.front.start({
      frame: (frame) => this.#handle(frame),
      reportError: (error, head) => {
        this.#isSilent = false;
        this.#deliverAndLoad((receiver) => receiver.reportError(error, head));
      },
      end: ({ rest }) => {
        // A last line without a line break is still a message.
        if (rest !== undefined) this.#handle(rest);
        if (this.#isSilent) options.onSilentEnd?.();
        this.#deliverAndLoad((receiver) => receiver.end());
      },
      onFull: () => this.#deliver((receiver) => receiver.onFull?.()),
      onDrained: () => this.#deliver((receiver) => receiver.onDrained?.()),
    });
  }

  /** Delivers all queued messages in order, and all later ones, to the loaded server. */
  handOver(receiver: MessageReceiver): void {
    this.#receiver = receiver;
    // The loaded server has newer data than a list of an earlier run.
    if (this.#expected.method === 'tools/list') this.#expected = { method: undefined };
    for (const deliver of this.#queued.splice(0)) deliver(receiver);
  }

  /** Has the server loaded without waiting for a message. */
  load(): void {
    this.#loadRequested.resolve();
  }

  #handle(frame: Frame) {
    this.#isSilent = false;
    const expected = this.#expected;
    if (expected.method === undefined) return this.#forward(frame);
    if (expected.method === 'initialize') return this.#handleInitialize(frame);
    this.#handleListRequest(frame, expected.toolList);
  }

  #handleInitialize(frame: Frame) {
    this.#expected = { method: undefined };
    const { method, idText, params } = parsePlainRequest(frame) ?? {};
    if (method !== 'initialize' || idText === undefined) return this.#forward(frame);
    const response = this.#options.initialize(params);
    if (response === undefined) return this.#forward(frame);
    this.#answer(frame, idText, response.result);
    if (response.toolList === undefined) return this.load();
    this.#expected = { method: 'tools/list', toolList: response.toolList };
    setTimeout(this.#loadRequested.resolve, LIST_WITHIN_MS).unref();
  }

  /** Answers `tools/list` with a known list. The server verifies the list after it is loaded. */
  #handleListRequest(frame: Frame, toolList: string) {
    const request = parsePlainRequest(frame);
    if (request?.method === 'notifications/initialized') return this.#deliver((receiver) => receiver.receive(frame));
    this.#expected = { method: undefined };
    if (request?.method !== 'tools/list' || request.idText === undefined || hasCursor(request))
      return this.#forward(frame);
    this.#answer(frame, request.idText, new RawJson(toolList));
    // Lets the client read the response before loading blocks the process.
    setTimeout(this.#loadRequested.resolve, LOAD_AFTER_MS);
  }

  #answer(frame: Frame, idText: string, result: unknown): void {
    const answer = resultText(idText, result);
    this.#options.front.send(answer);
    this.#deliver((receiver) => receiver.receiveAlreadyAnswered(frame, idText, answer));
  }

  #forward(frame: Frame): void {
    if (this.#receiver !== undefined) this.#receiver.receive(frame);
    else this.#deliverAndLoad((receiver) => receiver.receive(frame));
  }

  #deliverAndLoad(event: (receiver: MessageReceiver) => void): void {
    this.#deliver(event);
    this.load();
  }

  #deliver(event: (receiver: MessageReceiver) => void): void {
    if (this.#receiver === undefined) this.#queued.push(event);
    else event(this.#receiver);
  }
}

/** The parts of a request that are needed to answer it in the common case. */
interface PlainRequest {
  readonly method: unknown;
  readonly params: unknown;
  /** The id as JSON text. Undefined if it is missing, `-0`, or neither a string nor a safe integer. */
  readonly idText: string | undefined;
}

/**
 * Parses a request. Returns undefined for an invalid message, a batch or a very long message; the loaded
 * server handles those.
 */
function parsePlainRequest(frame: Frame): PlainRequest | undefined {
  if (frameLength(frame) > MAX_LENGTH) return undefined;
  let message: unknown;
  try {
    message = JSON.parse(frameText(frame));
  } catch {
    // Not valid JSON: the loaded server reports the error.
    return undefined;
  }
  if (!isObject(message)) return undefined;
  const { id, method, params } = message;
  // `-0` would be written as `0`.
  const isPlain = typeof id === 'string' || (Number.isSafeInteger(id) && !Object.is(id, -0));
  return { method, params, idText: isPlain ? JSON.stringify(id) : undefined };
}

/** No message of this length is nested deeper than `MAX_DEPTH`: each level takes at least two bytes. */
const MAX_LENGTH = 2 * MAX_DEPTH;

function hasCursor({ params }: PlainRequest): boolean {
  return isObject(params) && params['cursor'] !== undefined;
}
