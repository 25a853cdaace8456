import { serveStdio } from '../../gateway/open/serve-stdio.ts';
import type { EarlyResponder } from '../../serve/fronts/early-responder.ts';
import type { StdioFront } from '../../serve/fronts/stdio-front.ts';
import type { CommandContext } from '../command-context.ts';
import { exitSoon } from '../exit-soon.ts';
import { stopOnSignal } from '../stop-on-signal.ts';
import { startBackgroundTasks } from './background-tasks.ts';
import { openGateway } from './open.ts';
import type { GatewayOptions } from './options.ts';

/** The connection that was opened before the gateway was loaded. */
export interface EarlyConnection {
  readonly front: StdioFront;
  readonly earlyResponder: EarlyResponder;
}

/** Serves the connected client until it disconnects or a signal arrives. */
export async function runGateway(
  options: GatewayOptions,
  context: CommandContext,
  connection: EarlyConnection,
): Promise<void> {
  try {
    await serveUntilEnd(options, context, connection);
  } finally {
    exitSoon();
  }
}

async function serveUntilEnd(
  options: GatewayOptions,
  context: CommandContext,
  connection: EarlyConnection,
): Promise<void> {
  const { front, earlyResponder } = connection;
  const startedAt = Date.now();
  const { gateway, trace, reload, redactor, view } = await openGateway(options, context);
  const served = serveStdio(gateway, { front, earlyResponder, trace, view });
  const background = startBackgroundTasks({ gateway, reload, options, context, startedAt, redactor, view });
  process.stdin.once('end', background.stopAccepting);
  stopOnSignal((signal) => {
    background.stopAccepting();
    // Codex sends SIGTERM as soon as a conversation ends. The gateway may then still cache the lists of starting
    // servers.
    served.stop({ mayFinishCaching: signal === 'SIGTERM' });
  });
  await served.ended;
  await background.close();
  await trace?.close();
  const failure = front.failure();
  if (failure !== undefined) throw failure;
}
