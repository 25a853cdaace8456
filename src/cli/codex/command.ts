import { realpathSync, statSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';
import { CODEX_SERVER_INFO, compatServerInfo } from '../../codex/server-info.ts';
import { type Environment, resolvePath } from '../../config/files/folders.ts';
import { EarlyResponseTransport } from '../../serve/fronts/early-response-transport.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { stopOnSignal } from '../stop-on-signal.ts';
import { parseCodexOptions } from './options.ts';

/**
 * Runs `switchboard codex`: serves Codex as MCP tools on stdio until the client disconnects or a signal arrives. Loads
 * only the code that answers `initialize`; the server itself loads afterward.
 */
export async function codex(args: readonly string[], context: CommandContext): Promise<void> {
  const options = parseCodexOptions(args);
  // Read before the handshake: in a deleted folder the server must not answer `initialize`.
  const environment = environmentOf(context);
  const roots = options.roots.map((root) => checkRoot(root, environment));
  if (process.stdin.isTTY) context.output.report(TERMINAL_HINT);
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

const TERMINAL_HINT = 'Waiting for an MCP client on stdin. To connect one, see docs/codex.md (Ctrl-C to stop)';

function checkRoot(root: string, environment: Environment): string {
  const folder = resolvePath(root, environment);
  // Resolved now, not on use: a link that replaces the folder later cannot move the limit.
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync.native(folder);
  throw new AppError('USAGE', `--allow-root: there is no folder ${folder}.`);
}
