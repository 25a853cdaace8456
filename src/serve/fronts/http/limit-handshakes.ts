import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/**
 * Closes the oldest connection without a finished TLS handshake when there are too many. Until the handshake is
 * finished, no other limit counts the connection.
 */
export function limitHandshakes(server: Server, maxHandshakes: number): void {
  const pending = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const key = peerOf(socket);
    const [oldest] = pending.values();
    if (pending.size >= maxHandshakes) oldest?.destroy();
    pending.set(key, socket);
    socket.once('close', () => {
      if (pending.get(key) === socket) pending.delete(key);
    });
  });
  server.on('secureConnection', (socket) => void pending.delete(peerOf(socket)));
}

/** Identifies a connection, because the encrypted socket is not the object that was accepted. */
function peerOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
