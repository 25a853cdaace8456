import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { JsonObject } from './json.ts';

/** The response to one request: an HTTP error, or a stream of server-sent events that starts with the first event. */
export type EventStream = {
  /** Aborts when the client disconnects or the endpoint closes. */
  readonly signal: AbortSignal;
  /** Throws if the client has disconnected. */
  send(type: string, payload: JsonObject): void;
  /** Sends a plain HTTP error. Allowed only before the first event. */
  refuse(status: number, error: { readonly code: string; readonly message: string }): void;
  end(): void;
  /** Breaks the connection after the pending output is flushed. */
  cut(): Promise<void>;
};

export function createEventStream(response: ServerResponse, signal: AbortSignal): EventStream {
  // Node emits an error for a write to a disconnected client. The signal reports the same.
  response.on('error', () => undefined);
  return {
    signal,
    send(type, payload) {
      signal.throwIfAborted();
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...payload })}\n\n`);
    },
    refuse(status, error) {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error }));
    },
    end() {
      response.end();
    },
    async cut() {
      if (response.writableNeedDrain) await once(response, 'drain', { signal });
      response.destroy();
    },
  };
}
