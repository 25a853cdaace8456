import { StdioTransport } from '../serve/fronts/stdio.ts';
import { serveClient } from '../serve/serve-client.ts';
import type { Server } from '../serve/server.ts';
import { STOP_SIGNALS } from '../serve/stop-signals.ts';

/**
 * Serves over stdin and stdout, then exits the process. When the client disconnects, pending calls get five seconds to
 * finish; a signal aborts them immediately. Handles that user code forgot to close do not keep the process alive.
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
  // Unref'd: the timer fires only if something else keeps the process alive.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** Time for the caller's own clean-up after `await serveStdio(…)`. */
const LINGER_MS = 100;
