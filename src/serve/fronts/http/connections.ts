import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RefusalCounts } from './refusal-counts.ts';

/** The open connections of a front. */
export interface Connections {
  readonly size: number;
  /** Accepts a connection, or answers it with 503 if there are too many busy ones. */
  opened(socket: Socket): void;
  /** Called when a request has arrived and when its response has ended. */
  busy(socket: Socket, response: ServerResponse): void;
  idle(socket: Socket, response: ServerResponse): void;
  /** Whether a response is being written, or was written before its request has arrived completely. */
  isAnswering(socket: Duplex): boolean;
  /** Closes all connections without a request. */
  closeIdle(): void;
  closeAll(): void;
}

/** Closes the connection that has been idle for longest when there are too many, so that idle ones never block others. */
export function createConnections(maxConnections: number, refused: RefusalCounts): Connections {
  /** The responses that have not ended. Several if the client sends requests before it has the responses. */
  const responses = new Map<Duplex, Set<ServerResponse>>();
  /** Connections whose last request has its response, although it is still arriving. */
  const answeredEarly = new WeakSet<Duplex>();
  /** In the order in which they became idle. */
  const idle = new Set<Socket>();

  return {
    get size() {
      return responses.size;
    },
    opened(socket) {
      if (responses.size >= maxConnections) {
        const [longest] = idle;
        refused.count(503);
        if (longest === undefined) return refuse(socket);
        forget(longest);
        longest.destroy();
      }
      responses.set(socket, new Set());
      idle.add(socket);
      socket.once('close', () => forget(socket));
    },
    busy(socket, response) {
      responses.get(socket)?.add(response);
      answeredEarly.delete(socket);
      idle.delete(socket);
    },
    idle(socket, response) {
      const open = responses.get(socket);
      open?.delete(response);
      if (!response.req.complete) answeredEarly.add(socket);
      if (open?.size === 0) idle.add(socket);
    },
    isAnswering: (socket) =>
      answeredEarly.has(socket) || [...(responses.get(socket) ?? [])].some(({ headersSent }) => headersSent),
    closeIdle() {
      for (const socket of idle) socket.destroy();
    },
    closeAll() {
      for (const socket of responses.keys()) socket.destroy();
    },
  };

  function forget(socket: Socket): void {
    responses.delete(socket);
    idle.delete(socket);
  }
}

/** Closes the connection after a response that even a client that has not sent its request understands. */
function refuse(socket: Socket): void {
  socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  socket.once('finish', () => socket.destroy());
}
