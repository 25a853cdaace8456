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
  // This includes Node's own listener, which would start to read.
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
  // Node would limit the time until the next request as for a new connection. A used one may stay idle for longer.
  connections.opened(socket, { isNew });
  socket.setTimeout(limits.keepAliveTimeoutMs, () => socket.destroy());
  // The socket closes after an error.
  socket.on('error', () => {});
  socket.once('readable', () => {
    socket.setTimeout(0);
    socket.removeAllListeners('timeout');
    // Not `emit`: in the meantime, the server may have replaced its listeners to pass on connections.
    for (const listener of listeners) listener.call(server, socket);
  });
}
