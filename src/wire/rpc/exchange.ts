import { type OutgoingMessage, outgoingText } from '../json/splice.ts';

/** The way back to the client for one of its messages: over HTTP, the response to the POST that carried it. */
export interface Exchange {
  /** Sends a message that relates to the request, before its response: progress, a log message, a server request. */
  send(message: OutgoingMessage): void;
  /** Sends the response; undefined if there is none, because the request was cancelled. Called at most once. */
  respond(message: OutgoingMessage | undefined): void;
}

/** The exchange of all messages on a connection with a single output, such as stdio. */
export function createSharedExchange(send: (text: string) => void): Exchange {
  return {
    send: (message) => send(outgoingText(message)),
    respond(message) {
      if (message !== undefined) send(outgoingText(message));
    },
  };
}

/** For a message that gets no response, and whose other messages go nowhere. */
export const NO_EXCHANGE: Exchange = { send() {}, respond() {} };
