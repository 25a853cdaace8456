import type { Frame } from '../../../wire/frame.ts';
import type { OutgoingMessage } from '../../../wire/json/splice.ts';
import type { SentRequest } from '../transport.ts';
import type { ParsedRequest } from './envelope.ts';

/** The transport of a modern server: an HTTP exchange for each message, or one pair of pipes for all of them. */
export interface ModernCarrier {
  /** Sends one round of a request. */
  send(round: Round): void;
  notify(method: string, text: string): void;
  /** Tells the server that a request was cancelled, unless dropping the request tells it already. */
  cancel(id: number, params: Readonly<Record<string, unknown>>): void;
  /** Sends a request whose response is a stream of change notifications. */
  listen(request: ListenRequest, receiver: ListenReceiver): ListenStream;
  /** Drops a request whose response is no longer needed. */
  forget(id: number): void;
  /** Runs the work as soon as reading is not paused. */
  whenNotPaused(work: () => void): void;
}

/** A request as it is sent once. A request that needs input is sent again with it, in another round. */
export interface Round {
  /** Counts from 0. */
  readonly number: number;
  readonly request: SentRequest;
  /** The request of the caller, without an envelope. */
  readonly parsed: ParsedRequest;
  /** The message to send. */
  readonly message: OutgoingMessage;
  /** The id of this message, as JSON text. A repeated request counts as a new one and has a new id. */
  readonly idText: string;
  /** Called with the response, and with each other message of a response stream. */
  frame(frame: Frame): void;
  /** Returns true if the response required input, so that another round follows. */
  isAwaitingInput(): boolean;
}

export interface ListenRequest {
  readonly id: string;
  readonly method: string;
  readonly text: string;
}

export interface ListenReceiver {
  /** Called with each message of the stream. */
  frame(frame: Frame): void;
  /** Called once, when the stream has ended and is worth opening again. */
  ended(): void;
}

export interface ListenStream {
  close(): void;
}
