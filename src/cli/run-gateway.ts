import type { Door } from '../gateway/door.ts';
import { serveStdio } from '../gateway/serve-stdio.ts';
import type { StdioFront } from '../serve/fronts/stdio-front.ts';
import { STOP_SIGNALS } from '../serve/stop-signals.ts';
import { check } from './gateway-check.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { CommandContext } from './main.ts';
import { openConfigured, openGateway, readConfig } from './open-gateway.ts';
import { runAside } from './run-aside.ts';

/** What was opened before the gateway was loaded. */
export interface Entrance {
  readonly front: StdioFront;
  readonly door: Door;
  /** Told what to do when the client does not read. */
  readonly flow: { pause: () => void; resume: () => void };
}

/** Serves the client at the door until it leaves or we are told to end. */
export async function runGateway(options: GatewayOptions, context: CommandContext, entrance: Entrance): Promise<void> {
  try {
    await serveUntilEnd(options, context, entrance);
  } finally {
    // Nothing that is still open may keep us, a client that does not leave least of all: all has been said and stopped.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
}

async function serveUntilEnd(options: GatewayOptions, context: CommandContext, entrance: Entrance): Promise<void> {
  const { front, door, flow } = entrance;
  const startedAt = Date.now();
  const { gateway, trace, followed, redact } = await openGateway(options, context);
  flow.pause = gateway.pause;
  flow.resume = gateway.resume;
  const served = serveStdio(gateway, { front, door, trace });
  for (const [signal, number] of STOP_SIGNALS) {
    process.once(signal, () => {
      process.exitCode = 128 + number;
      served.stop();
    });
  }
  const aside = runAside({ gateway, followed, options, context, startedAt, redact });
  await served.ended;
  await aside.end();
  await trace?.close();
  const failure = front.failure();
  if (failure !== undefined) throw failure;
}

/** Starts every server once and shows how each of them is. */
export async function checkGateway(options: GatewayOptions, context: CommandContext): Promise<void> {
  const config = await readConfig(options, context);
  const { gateway } = openConfigured(config, options, context);
  const isFine = await check(gateway, config, context.output, { timeoutMs: CHECK_TIMEOUT_MS, isJson: options.isJson });
  process.exitCode = isFine ? 0 : UNREACHABLE;
}

/** A little more than a server may take to start. */
const CHECK_TIMEOUT_MS = 65_000;
/** The exit status for a server that cannot be reached or started. */
const UNREACHABLE = 4;

const LINGER_MS = 100;
