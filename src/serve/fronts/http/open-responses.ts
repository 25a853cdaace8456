import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The responses that have not ended, by connection. */
export interface OpenResponses {
  started(socket: Duplex, response: ServerResponse): void;
  ended(socket: Duplex, response: ServerResponse): void;
  /** Whether a response is being written, or was written before its request has arrived completely. */
  isAnswering(socket: Duplex): boolean;
}

/** Tells when an error must not be written to a connection, because the client would read it as part of a response. */
export function createOpenResponses(): OpenResponses {
  /** More than one per connection if the client uses pipelining. */
  const open = new WeakMap<Duplex, Set<ServerResponse>>();
  /** Connections whose last request has its response, although it is still arriving. */
  const answeredEarly = new WeakSet<Duplex>();
  return {
    started(socket, response) {
      const responses = open.get(socket) ?? new Set();
      open.set(socket, responses.add(response));
      answeredEarly.delete(socket);
    },
    ended(socket, response) {
      open.get(socket)?.delete(response);
      if (!response.req.complete) answeredEarly.add(socket);
    },
    isAnswering: (socket) =>
      answeredEarly.has(socket) || [...(open.get(socket) ?? [])].some(({ headersSent }) => headersSent),
  };
}
