import { serveStdio } from '../../gateway/entry/serve-stdio.ts';
import type { EarlyResponder } from '../../serve/fronts/early-responder.ts';
import type { StdioFront } from '../../serve/fronts/stdio-front.ts';
import { STARTUP_TIMEOUT_MS } from '../../upstream/limits.ts';
import type { CommandContext } from '../command-context.ts';
import { stopOnSignal } from '../stop-on-signal.ts';
import { startBackgroundTasks } from './background-tasks.ts';
import { check, warm } from './check.ts';
import { openConfiguredGateway, openGateway, readConfig } from './open.ts';
import type { GatewayOptions } from './options.ts';

/** The connection that was opened before the gateway was loaded. */
export interface EarlyConnection {
  readonly front: StdioFront;
  readonly earlyResponder: EarlyResponder;
  /** Backpressure hooks for a client that does not read. */
  readonly flow: { pause: () => void; resume: () => void };
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
    // All output is written and all servers are stopped, so no open handle may keep the process alive, not even a
    // client that stays connected.
    setTimeout(() => process.exit(), EXIT_DELAY_MS).unref();
  }
}

async function serveUntilEnd(
  options: GatewayOptions,
  context: CommandContext,
  connection: EarlyConnection,
): Promise<void> {
  const { front, earlyResponder, flow } = connection;
  const startedAt = Date.now();
  const { gateway, trace, reload, redactor } = await openGateway(options, context);
  flow.pause = gateway.pause;
  flow.resume = gateway.resume;
  const served = serveStdio(gateway, { front, earlyResponder, trace });
  const background = startBackgroundTasks({ gateway, reload, options, context, startedAt, redactor });
  // Before calls have ended: those may take longer than the caller waits before it kills the process.
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

/** Starts every server once and prints its status. Caches the lists for the next client. */
export async function checkGateway(options: GatewayOptions, context: CommandContext): Promise<void> {
  const isFine = await startAll(options, context, check);
  process.exitCode = isFine ? 0 : UNREACHABLE;
}

/** Runs `switchboard warm`: starts every server once, so that the next client finds the tools in the cache. */
export async function warmGateway(options: GatewayOptions, context: CommandContext): Promise<void> {
  const isFine = await startAll({ ...options, isCheck: true }, context, warm);
  process.exitCode = isFine ? 0 : UNREACHABLE;
}

async function startAll(options: GatewayOptions, context: CommandContext, show: typeof check): Promise<boolean> {
  const config = await readConfig(options, context);
  const { gateway } = openConfiguredGateway(config, options, context);
  // A last resort: each server has its own timeouts for startup and listing, counted from its own launch.
  const timeoutMs = 2 * STARTUP_TIMEOUT_MS + config.servers.length * QUEUE_TIME_MS;
  return show(gateway, config, context.output, { timeoutMs, isJson: options.isJson });
}

/** Time that a server may wait for its turn because of another one. */
const QUEUE_TIME_MS = 1_000;
/** Exit status for a server that cannot be reached or started. */
const UNREACHABLE = 4;

const EXIT_DELAY_MS = 100;
