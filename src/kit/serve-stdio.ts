import { StdioTransport } from '../serve/fronts/stdio.ts';
import type { Server } from '../serve/server.ts';
import { serveClient } from '../serve/session.ts';

/**
 * Serves over stdin and stdout until the client leaves, then ends the process: calls under way get five seconds to
 * finish, and nothing that user code forgot to close keeps the process alive after that.
 */
export async function serveStdio(server: Server): Promise<void> {
  await serveClient(server, new StdioTransport());
  process.exitCode ??= 0;
  // Unref'd: it only fires when something else still holds the process.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** Time for the caller's own clean-up after `await serveStdio(…)`. */
const LINGER_MS = 500;
