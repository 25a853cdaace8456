import type { Socket } from 'node:net';
import type { RefusalCounts } from './refusal-counts.ts';

/** The open connections of a front. */
export interface Connections {
  readonly size: number;
  /** Accepts a connection, or answers it with 503 if there are too many busy ones. */
  opened(socket: Socket): void;
  /** Called when a request has arrived and when its response has ended. */
  busy(socket: Socket): void;
  idle(socket: Socket): void;
  /** Closes all connections without a request. */
  closeIdle(): void;
  closeAll(): void;
}

/** Closes the connection that has been idle for longest when there are too many, so that idle ones never block others. */
export function createConnections(maxConnections: number, refused: RefusalCounts): Connections {
  /** Number of requests in progress. More than one if the client sends requests before it has the responses. */
  const requests = new Map<Socket, number>();
  /** In the order in which they became idle. */
  const idle = new Set<Socket>();

  return {
    get size() {
      return requests.size;
    },
    opened(socket) {
      if (requests.size >= maxConnections) {
        refused.count(503);
        const [longest] = idle;
        if (longest === undefined) return refuse(socket);
        forget(longest);
        longest.destroy();
      }
      requests.set(socket, 0);
      idle.add(socket);
      socket.once('close', () => forget(socket));
    },
    busy(socket) {
      requests.set(socket, (requests.get(socket) ?? 0) + 1);
      idle.delete(socket);
    },
    idle(socket) {
      const count = requests.get(socket);
      if (count === undefined) return;
      requests.set(socket, count - 1);
      if (count <= 1) idle.add(socket);
    },
    closeIdle() {
      for (const socket of idle) socket.destroy();
    },
    closeAll() {
      for (const socket of requests.keys()) socket.destroy();
    },
  };

  function forget(socket: Socket): void {
    requests.delete(socket);
    idle.delete(socket);
  }
}

/** Closes the connection after a response that even a client that has not sent its request understands. */
function refuse(socket: Socket): void {
  socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  socket.once('finish', () => socket.destroy());
}
