import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import type { Slotted } from '../../base/slot-set.ts';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '../../serve/log-levels.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { type OutgoingMessage, outgoingBytes, outgoingText, spliceMembers } from '../../wire/json/splice.ts';
import { errorText, isObject, RawJson, resultText } from '../../wire/messages.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { HeldRequest } from './held-requests.ts';

/** Methods whose response may require input. */
export const MAY_REQUIRE_INPUT: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** One round of a request: the message of the client that is being answered. */
export interface Round {
  readonly exchange: Exchange;
  /** The client's id, as JSON text. */
  readonly idText: string;
  /** The client's progress token, as JSON text. */
  readonly progressToken: string | undefined;
  /** The log messages that the client wants. Undefined for none. */
  readonly logLevel: LogLevel | undefined;
}

/** The parts of a modern client that its exchanges need. */
export interface ModernExchangeOwner {
  /** Converts a response to the modern era. */
  toModern(response: OutgoingMessage, idText: string, method: string): OutgoingMessage;
  /** Returns the key that a modern server chose for the server request with this id. Undefined for a legacy server. */
  inputKeyOf(id: string): string | undefined;
  /** Passes a response of the client to the server request with this id. */
  answerServerRequest(response: string): void;
  /** Holds a suspended request and returns its `requestState`. May throw. */
  hold(exchange: ModernExchange): string;
  forget(state: string): void;
  /** Cancels a request whose client has not returned. */
  cancel(exchange: ModernExchange): void;
  /** Called when the request has its final response or is cancelled. */
  closed(exchange: ModernExchange): void;
}

/**
 * The exchange of a request of a modern client, in the form that the legacy era expects: it accepts server requests.
 * They are sent together as an `input_required` result, and the client repeats the request with the answers. Meanwhile
 * the request stays pending at the server.
 */
export class ModernExchange implements Exchange, HeldRequest, Slotted {
  slot = 0;
  readonly method: string;
  /** Identifies what was requested, for the retry. */
  readonly digest: () => string;
  readonly #owner: ModernExchangeOwner;
  /** The id of the first round, under which the gateway knows the request. */
  readonly #firstId: string;
  readonly #firstToken: string | undefined;
  /** Undefined while the request is suspended. */
  #round: Round | undefined;
  /** The server requests without an answer, by the key that the client sees. */
  readonly #inputs = new Map<string, { readonly id: string; readonly json: string }>();
  /** A response that arrived while the request was suspended. */
  #response: OutgoingMessage | undefined;
  #isSuspending = false;
  /** The `requestState` while the request is suspended. */
  #state: string | undefined;

  constructor(owner: ModernExchangeOwner, request: { method: string; digest: () => string }, round: Round) {
    this.#owner = owner;
    this.method = request.method;
    this.digest = request.digest;
    this.#round = round;
    this.#firstId = round.idText;
    this.#firstToken = round.progressToken;
  }

  isRoundOf(exchange: Exchange): boolean {
    return this.#round?.exchange === exchange;
  }

  send(message: OutgoingMessage) {
    const text = outgoingText(message);
    const { id, method, params }: Readonly<Record<string, unknown>> = JSON.parse(text);
    if (id !== undefined) return this.#addInput(JSON.stringify(id), String(method), text);
    const given = isObject(params) ? params : {};
    if (method === 'notifications/cancelled') return this.#removeInput(JSON.stringify(given['requestId']));
    const round = this.#round;
    if (round === undefined) return;
    if (method === 'notifications/message' && !isWanted(given['level'], round.logLevel)) return;
    const forwarded = method === 'notifications/progress' ? this.#withToken(message, round) : message;
    if (forwarded !== undefined) round.exchange.send(forwarded);
  }

  respond(message: OutgoingMessage | undefined) {
    const round = this.#round;
    if (round === undefined && message !== undefined) {
      this.#response = message;
      return;
    }
    this.#inputs.clear();
    if (this.#state !== undefined) this.#owner.forget(this.#state);
    this.#owner.closed(this);
    if (message === undefined) round?.exchange.respond(undefined);
    else if (round !== undefined) this.#respondIn(round, message);
  }

  /** Continues a suspended request with the answers of the client, which are JSON text by key. */
  resume(round: Round, answers: ReadonlyMap<string, string>) {
    this.#round = round;
    this.#state = undefined;
    if (this.#response !== undefined) return this.respond(this.#response);
    for (const [key, { id }] of [...this.#inputs]) {
      const answer = answers.get(key);
      if (answer === undefined) continue;
      this.#inputs.delete(key);
      this.#owner.answerServerRequest(resultText(id, new RawJson(answer)));
    }
    // The server waits for the rest, so the client is asked again.
    if (this.#inputs.size > 0) this.#suspend();
  }

  expire(): void {
    this.#owner.cancel(this);
  }

  #addInput(id: string, method: string, text: string) {
    const params = rawMember(Buffer.from(text), 'params');
    const json = `{"method":${JSON.stringify(method)}${params === undefined ? '' : `,"params":${params}`}}`;
    this.#inputs.set(this.#toUnusedKey(id), { id, json });
    if (!MAY_REQUIRE_INPUT.has(this.method)) return this.#rejectInputs(cannotAsk(method, this.method));
    if (this.#isSuspending || this.#round === undefined) return;
    this.#isSuspending = true;
    // Requests from the same turn are sent together.
    setImmediate(() => {
      this.#isSuspending = false;
      if (this.#inputs.size > 0) this.#suspend();
    });
  }

  #removeInput(id: string): void {
    for (const [key, input] of this.#inputs) if (input.id === id) this.#inputs.delete(key);
  }

  #toUnusedKey(id: string): string {
    let key = this.#owner.inputKeyOf(id) ?? `input-${id}`;
    while (this.#inputs.has(key)) key += `-${id}`;
    return key;
  }

  #suspend() {
    const round = this.#round;
    if (round === undefined) return;
    let state: string;
    try {
      state = this.#owner.hold(this);
    } catch (error) {
      return this.#rejectInputs(error);
    }
    this.#round = undefined;
    this.#state = state;
    const requests = [...this.#inputs].map(([key, { json }]) => `${JSON.stringify(key)}:${json}`).join(',');
    const result = `{"resultType":"input_required","inputRequests":{${requests}},"requestState":"${state}"}`;
    round.exchange.respond(resultText(round.idText, new RawJson(result)));
  }

  #rejectInputs(error: unknown): void {
    const inputs = [...this.#inputs.values()];
    this.#inputs.clear();
    for (const { id } of inputs) this.#owner.answerServerRequest(errorText(id, toJsonRpcError(error)));
  }

  #respondIn({ exchange, idText }: Round, message: OutgoingMessage): void {
    const renamed = idText === this.#firstId ? message : withMember(message, ['id'], idText);
    exchange.respond(this.#owner.toModern(renamed ?? message, idText, this.method));
  }

  /** Replaces the token of the first round. Undefined if the client wants no progress in this round. */
  #withToken(message: OutgoingMessage, { progressToken }: Round): OutgoingMessage | undefined {
    if (progressToken === this.#firstToken) return message;
    return progressToken === undefined ? undefined : withMember(message, ['params', 'progressToken'], progressToken);
  }
}

function cannotAsk(method: string, during: string): AppError {
  return new AppError('METHOD_NOT_FOUND', `${method}: the client cannot be asked during ${during}.`);
}

export function withMember(
  message: OutgoingMessage,
  path: readonly string[],
  text: string,
): OutgoingMessage | undefined {
  return spliceMembers([outgoingBytes(message)], [{ path, text }]);
}

/** Without a level, the client wants no log messages. */
function isWanted(level: unknown, wanted: LogLevel | undefined): boolean {
  return wanted !== undefined && isLogLevel(level) && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(wanted);
}
