import type { OutgoingMessage } from '../json/splice.ts';

/** The way back to the client for one of its messages: over HTTP, the response to the POST that carried it. */
export interface Exchange {
  /** Sends a message that relates to the request, before its response: progress, a log message, a server request. */
  send(message: OutgoingMessage): void;
  /** Sends the response; undefined if there is none, because the request was cancelled. Called at most once. */
  respond(message: OutgoingMessage | undefined): void;
}
