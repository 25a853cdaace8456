import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps at most `max` connections open; one more closes the oldest. `maxConnections` refuses the newest instead, so
 * idle connections could block all others.
 */
export function limitConnections(server: Server, max: number): void {
  // A Set keeps insertion order: the oldest is first.
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= max) return;
    const [oldest] = open;
    if (oldest === undefined) return;
    open.delete(oldest);
    oldest.destroy();
  });
}
