import { StdioTransport } from '../serve/fronts/stdio.ts';
import { serveClient } from '../serve/serve-client.ts';
import type { Server } from '../serve/server.ts';
import { STOP_SIGNALS } from '../serve/stop-signals.ts';

/**
 * Serves over stdin and stdout, then ends the process. When the client leaves, calls under way get five seconds to
 * finish; a signal aborts them at once. Nothing that user code forgot to close keeps the process alive after that.
 */
export async function serveStdio(server: Server): Promise<void> {
  const transport = new StdioTransport();
  for (const [signal, number] of STOP_SIGNALS) {
    process.once(signal, () => {
      process.exitCode = 128 + number;
      transport.stop();
    });
  }
  await serveClient(server, transport);
  const failure = transport.failure();
  if (failure !== undefined) {
    process.exitCode = 1;
    process.stderr.write(`${server.info.name}: ${failure.message}\n`);
  }
  // Unref'd: it only fires when something else still holds the process.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** Time for the caller's own clean-up after `await serveStdio(…)`. */
const LINGER_MS = 100;
