import { realpathSync, statSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { CODEX_SERVER_INFO, compatServerInfo } from '../../codex/server-info.ts';
import { type Environment, resolvePath } from '../../config/files/folders.ts';
import { EarlyResponseTransport } from '../../serve/fronts/early-response-transport.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { stopOnSignal } from '../stop-on-signal.ts';
import { parseCodexOptions } from './options.ts';

/** Commands that run once instead of serving, loaded lazily. */
const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  run: async (args, context) => (await import('./delegate/run.ts')).codexRun(args, context),
  say: async (args, context) => (await import('./delegate/run.ts')).codexSay(args, context),
  sessions: async (args, context) => (await import('./delegate/stored.ts')).codexSessions(args, context),
  show: async (args, context) => (await import('./delegate/stored.ts')).codexShow(args, context),
};

type Subcommand = (args: readonly string[], context: CommandContext) => Promise<void>;

/** Runs `switchboard codex`: a subcommand, or the server. */
export async function codex(args: readonly string[], context: CommandContext): Promise<void> {
  const [name = '', ...rest] = args;
  const isWord = name !== '' && !name.startsWith('-') && name !== 'mcp-server';
  if (isWord && !Object.hasOwn(SUBCOMMANDS, name)) {
    const { unknownSubcommand } = await import('../unknown-command.ts');
    throw unknownSubcommand(`${programName()} codex`, name, [...Object.keys(SUBCOMMANDS), 'mcp-server']);
  }
  const run = isWord ? SUBCOMMANDS[name] : undefined;
  return run === undefined ? serveCodex(args, context) : run(rest, context);
}

/**
 * Runs `switchboard codex`: serves Codex as MCP tools, on stdio until the client disconnects, or over HTTP until a
 * signal arrives. On stdio, loads only the code that answers `initialize`; the server itself loads afterward.
 */
async function serveCodex(args: readonly string[], context: CommandContext): Promise<void> {
  const options = parseCodexOptions(args);
  // Read before the handshake: in a deleted folder the server must not answer `initialize`.
  const environment = environmentOf(context);
  const roots = options.roots.map((root) => checkRoot(root, environment));
  if (options.http !== undefined)
    return (await import('./http/run-http.ts')).runHttpCodex({ ...options, roots }, options.http, context);
  if (process.stdin.isTTY) {
    // No client types JSON on a terminal.
    const { commandHelp } = await import('../help.ts');
    const { printHelp } = await import('../terminal/print-help.ts');
    return printHelp(commandHelp('codex'), context);
  }
  const machine = `${process.platform}; ${process.arch}`;
  const transport = new EarlyResponseTransport(
    options.tools === 'compat' ? compatServerInfo(machine) : CODEX_SERVER_INFO,
  );
  stopOnSignal(() => transport.stop());
  await transport.loadRequested;
  try {
    await (await import('./run.ts')).runCodex({ ...options, roots }, context, { transport, machine });
  } finally {
    // Otherwise a client that keeps its end open would keep the process alive.
    await transport.close();
  }
  const failure = transport.failure();
  if (failure !== undefined) throw failure;
}

function checkRoot(root: string, environment: Environment): string {
  const folder = resolvePath(root, environment);
  // Resolved now, not on use: a link that replaces the folder later cannot move the limit.
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync.native(folder);
  throw new AppError('USAGE', `--allow-root: there is no folder ${folder}.`);
}
