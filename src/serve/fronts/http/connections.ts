import type { Socket } from 'node:net';
import { isUnread, stopReading } from './detach-socket.ts';
import type { RefusalCounts } from './refusal-counts.ts';

/** The open connections of a front. */
export interface Connections {
  readonly size: number;
  /** Accepts a connection, or answers it with 503 if there are too many busy ones. May be called twice. */
  opened(socket: Socket, options?: Pick<PassedConnection, 'isNew'>): void;
  /** Called when a request has arrived. */
  busy(socket: Socket): void;
  /** Called when a response has ended. `isWhole` tells whether the request had arrived completely. */
  idle(socket: Socket, isWhole: boolean): void;
  /** From now on, each connection without a request is offered to another process. */
  passOn(pass: PassConnection): void;
  /** Whether connections without a request still wait to be passed on. */
  readonly isPassing: boolean;
  /** Closes all connections without a request. */
  closeIdle(): void;
  closeAll(): void;
}

/** A connection that another process can continue. */
export interface PassedConnection {
  readonly socket: Socket;
  /** Whether the client has not used the connection yet. */
  readonly isNew: boolean;
}

/**
 * Offers a connection to another process. This process has stopped reading from it. `take` returns undefined if it was
 * closed.
 */
export type PassConnection = (take: () => PassedConnection | undefined) => void;

interface Use {
  isNew: boolean;
  /** Number of requests in progress. More than one if the client sends requests before it has the responses. */
  requests: number;
  /** `bytesRead` when the last request ended. Undefined if that request had not arrived completely. */
  readBytes: number | undefined;
}

/** Closes the connection that has been idle for longest when there are too many, so that idle ones never block others. */
export function createConnections(maxConnections: number, refused: RefusalCounts): Connections {
  const uses = new Map<Socket, Use>();
  /** In the order in which they became idle. */
  const idle = new Set<Socket>();
  let pass: PassConnection | undefined;

  return {
    get size() {
      return uses.size;
    },
    opened(socket, { isNew } = NEW) {
      if (uses.has(socket)) return;
      if (uses.size >= maxConnections) {
        refused.count(503);
        const [longest] = idle;
        if (longest === undefined) return refuse(socket);
        forget(longest);
        longest.destroy();
      }
      uses.set(socket, { isNew, requests: 0, readBytes: 0 });
      idle.add(socket);
      socket.once('close', () => forget(socket));
    },
    busy(socket) {
      const use = uses.get(socket);
      if (use !== undefined) {
        use.requests++;
        use.isNew = false;
      }
      idle.delete(socket);
    },
    idle(socket, isWhole) {
      const use = uses.get(socket);
      if (use === undefined) return;
      use.requests--;
      use.readBytes = isWhole ? socket.bytesRead : undefined;
      if (use.requests > 0) return;
      idle.add(socket);
      // The server first finishes its own work for the response.
      if (pass !== undefined) setImmediate(offer, socket);
    },
    passOn(given) {
      pass = given;
      for (const socket of idle) offer(socket);
    },
    get isPassing() {
      return pass !== undefined && idle.size > 0;
    },
    closeIdle() {
      for (const socket of idle) socket.destroy();
    },
    closeAll() {
      for (const socket of uses.keys()) socket.destroy();
    },
  };

  /** Stops reading at once: the client may send its next request at any moment, which the other process must read. */
  function offer(socket: Socket): void {
    const use = uses.get(socket);
    if (use === undefined || use.requests > 0 || !isUnread(socket, use.readBytes)) return;
    stopReading(socket);
    pass?.(() => {
      if (!uses.has(socket)) return undefined;
      forget(socket);
      return { socket, isNew: use.isNew };
    });
  }

  function forget(socket: Socket): void {
    uses.delete(socket);
    idle.delete(socket);
  }
}

const NEW = { isNew: true };

/** Closes the connection after a response that even a client that has not sent its request understands. */
function refuse(socket: Socket): void {
  socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  socket.once('finish', () => socket.destroy());
}
