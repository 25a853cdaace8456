import { existsSync } from 'node:fs';
import { cacheFolder, type Environment } from '../../config/files/folders.ts';
import { findSources } from '../../config/files/sources.ts';
import { readListSnapshot } from '../../gateway/cache/list-snapshot.ts';
import { aggregateInitializeResult, defaultInstructions } from '../../gateway/gateway-info.ts';
import { EarlyResponder } from '../../serve/fronts/early-responder.ts';
import { StdioFront } from '../../serve/fronts/stdio-front.ts';
import { catalogFolder } from '../../upstream/catalog-cache/cache-folder.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { listSnapshotLocation } from './list-snapshot-location.ts';
import { checkCommand, type GatewayOptions, parseGatewayOptions } from './options.ts';

/**
 * Runs `switchboard gateway`: every server of the config behind one endpoint on stdio, or the one server after `--`.
 * Loads only the code that answers `initialize`; the gateway itself loads afterward.
 */
export async function gateway(args: readonly string[], context: CommandContext): Promise<void> {
  const options = parseGatewayOptions(args);
  const { mode } = options;
  if (mode.kind === 'explain') return (await import('./explain/explain.ts')).explainGateway(options, mode, context);
  if (mode.kind === 'http') {
    // Until the gateway can restart, the signal for that must not end it.
    process.on('SIGUSR2', ignore);
    return (await import('./http/run-http.ts')).runHttpGateway(options, mode.options, context);
  }
  if (mode.kind === 'check') return (await import('./check.ts')).checkGateway(options, context);
  // Read now: a deleted folder throws, and nothing would catch that inside the callbacks below.
  const environment = environmentOf(context);
  if (process.stdin.isTTY) context.output.report(terminalHint(options));
  const front = new StdioFront();
  const earlyResponder = new EarlyResponder({
    front,
    onSilentEnd: () => context.output.report(NO_CLIENT_HINT),
    initialize(params) {
      if (!canRespondEarly(options, environment)) return undefined;
      const snapshot = readListSnapshot(listSnapshotLocation(options, environment, params));
      // With cached catalogs but no snapshot, only the gateway itself can write the instructions.
      if (snapshot === undefined && hasCachedCatalogs(environment)) return undefined;
      const instructions = snapshot?.instructions ?? defaultInstructions(options);
      const result = aggregateInitializeResult(params, { instructions, capabilities: snapshot?.capabilities });
      return { result, toolList: snapshot?.result };
    },
  });
  // With `--trace`, loads immediately, so that a trace that cannot be written fails now and not at the first message.
  if (options.trace === undefined) await Promise.race([earlyResponder.loadRequested, delay(LOAD_AFTER_MS)]);
  try {
    await (await import('./run.ts')).runGateway(options, context, { front, earlyResponder });
  } catch (error) {
    // Otherwise a client that keeps its end open would keep the process alive.
    await front.close();
    throw error;
  }
}

/** The gateway loads even without a client, so that its status can be queried. Its servers wait for the client. */
const LOAD_AFTER_MS = 1_000;

function ignore(): void {}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** For a person who expected output, such as the one who typed `switchboard | less`. */
const NO_CLIENT_HINT = 'Switchboard serves MCP on stdin and stdout, and no client spoke. For help: switchboard --help';

function terminalHint(options: GatewayOptions): string {
  return `Waiting for an MCP client on stdin. To check your servers: ${checkCommand(options)} (Ctrl-C to stop)`;
}

function hasCachedCatalogs(environment: Environment): boolean {
  return existsSync(catalogFolder(cacheFolder(environment)));
}

/** False when the client needs more than the default instructions, or when the gateway is about to fail. */
function canRespondEarly({ command, config }: GatewayOptions, environment: Environment): boolean {
  if (command !== undefined) return false;
  const sources = findSources(environment, config);
  return sources.every(({ file, layer, needsTrust }) => {
    if (layer === 'explicit') return existsSync(file);
    return !needsTrust || !existsSync(file);
  });
}
