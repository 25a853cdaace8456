import type { ServerResponse } from 'node:http';

/**
 * Lets a client that is still sending read the last response of a connection. Closing at once would reset the
 * connection, and the client's kernel would drop the response if the client has not read it yet. Call it before
 * `response.end`.
 */
export function lingerAfter({ req, socket }: ServerResponse): void {
  if (req.complete || socket === null) return;
  // Node calls this after the response, and discards what arrives until then.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  };
}

const LINGER_MS = 1_000;
