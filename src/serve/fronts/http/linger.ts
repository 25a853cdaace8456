import type { ServerResponse } from 'node:http';

/**
 * Lets the client read the last response of a connection while it is still sending. Closing at once would reset the
 * connection, and the system of the client then drops what it has not read yet. Call it before `response.end`.
 */
export function lingerAfter({ req, socket }: ServerResponse): void {
  if (req.complete || socket === null) return;
  // Node calls this after the response, and discards what arrives meanwhile.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  };
}

const LINGER_MS = 1_000;
