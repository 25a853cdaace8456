import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { JsonObject } from './json.ts';

/** The answer to one request: either one refusal, or a stream of server-sent events that opens with the first event. */
export type EventStream = {
  /** Aborts when the client goes away or the endpoint closes. */
  readonly signal: AbortSignal;
  /** Throws when nobody listens any more. */
  send(type: string, payload: JsonObject): void;
  /** A plain HTTP error. Only as long as nothing was sent. */
  refuse(status: number, error: { readonly code: string; readonly message: string }): void;
  end(): void;
  /** Breaks the connection after what was sent so far has left. */
  cut(): Promise<void>;
};

export function createEventStream(response: ServerResponse, signal: AbortSignal): EventStream {
  // Node emits an error for what is written to a client which has just left; the signal tells the same.
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
