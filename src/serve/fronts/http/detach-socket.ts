import type { Socket } from 'node:net';

/** Whether the connection is open, and nothing has arrived beyond the first `readBytes` bytes. */
export function isUnread(socket: Socket, readBytes: number | undefined): boolean {
  return !socket.destroyed && socket.writable && !socket.readableEnded && socket.bytesRead === readBytes;
}

/**
 * Stops reading from the kernel, so that another process gets everything that arrives from now on. After `pause` alone,
 * Node still reads into a buffer, which is lost when the socket is sent to another process.
 */
export function stopReading(socket: Socket): void {
  socket.pause();
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle === 'object' && handle !== null && 'readStop' in handle && typeof handle.readStop === 'function')
    handle.readStop();
}
