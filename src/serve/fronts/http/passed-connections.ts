import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections, PassConnection, PassedConnection } from './connections.ts';
import { stopReading } from './detach-socket.ts';
import type { HttpLimits } from './limits.ts';

interface PassingFront {
  readonly server: Server;
  readonly connections: Connections;
}

/** Passes on new connections without reading from them, and used ones while they have no request. */
export function passOnConnections(
  pass: PassConnection,
  { server, connections, canPassUsed }: PassingFront & { readonly canPassUsed: boolean },
): void {
  // Including the listener of the server itself, which would read.
  server.removeAllListeners('connection');
  Reflect.set(server, 'pauseOnConnect', true);
  server.on('connection', (socket: Socket) => {
    pass(() => (socket.destroyed ? undefined : { socket, isNew: true }));
  });
  // The state of an encrypted connection stays in its process, so such connections end with their next response.
  if (canPassUsed) connections.passOn(pass);
}

/** Passes on a connection that has just arrived from another process. Nothing was read from it yet. */
export function passBack(connection: PassedConnection, pass: PassConnection): void {
  stopReading(connection.socket);
  pass(() => connection);
}

/** Serves a connection that another process has accepted. */
export function acceptPassed(
  { socket, isNew }: PassedConnection,
  { server, connections, limits }: PassingFront & { readonly limits: HttpLimits },
): void {
  // As for connections that the server accepts itself.
  socket.allowHalfOpen = true;
  if (isNew) {
    server.emit('connection', socket);
    return;
  }
  const listeners = server.listeners('connection');
  // The server would expect a request soon. A client that has had a response may take longer.
  connections.opened(socket, { isNew });
  socket.setTimeout(limits.keepAliveTimeoutMs, () => socket.destroy());
  // The socket closes after an error.
  socket.on('error', () => {});
  socket.once('readable', () => {
    socket.setTimeout(0);
    socket.removeAllListeners('timeout');
    // Not an event: the listeners are others if the server passes on its connections meanwhile.
    for (const listener of listeners) listener.call(server, socket);
  });
}
