import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import type { LoadedConfig } from '../../config/server-entry.ts';
import { isAsConfigured, type ServerStatus } from '../../gateway/status/server-status.ts';
import { STARTUP_TIMEOUT_MS } from '../../upstream/limits.ts';
import type { CommandContext } from '../command-context.ts';
import { wrapForScreen } from '../terminal/wrap.ts';
import { serverLines, totalsLine, totalsOf } from './check-text.ts';
import { openConfiguredGateway, readConfig } from './open.ts';
import { type GatewayOptions, parseGatewayOptions } from './options.ts';
import { storeGatewayNames } from './store-completion-names.ts';

/** Runs `switchboard gateway --check`: starts every server once, prints its status and caches its lists. */
export async function checkGateway(options: GatewayOptions, context: CommandContext): Promise<void> {
  const { servers, problems } = await startAllOnce(options, context);
  printCheck({ servers, rows: servers, shown: servers, hasTotals: servers.length > 1, problems }, options, context);
}

/** Runs `switchboard warm`: does the same, but prints only failures, because its purpose is to fill the cache. */
export async function warm(args: readonly string[], context: CommandContext): Promise<void> {
  const options = parseGatewayOptions(args, WARM);
  const { servers, problems } = await startAllOnce(options, context);
  const rows = servers.map(({ id, state, tools, reason, next }) => ({ id, state, tools, reason, next }));
  const shown = servers.filter((server) => !isAsConfigured(server));
  printCheck({ servers, rows, shown, hasTotals: servers.length > 0, problems }, options, context);
}

const WARM = {
  command: 'switchboard warm',
  options: ['--only'],
  repeatableOptions: ['--config'],
  flags: ['--json'],
  mode: 'check',
} as const;

interface Checked extends Pick<LoadedConfig, 'problems'> {
  readonly servers: readonly ServerStatus[];
  /** For `--json`. */
  readonly rows: readonly object[];
  /** For the terminal. */
  readonly shown: readonly ServerStatus[];
  readonly hasTotals: boolean;
}

/** Fails the command unless all enabled servers are ready. */
function printCheck(
  { servers, rows, shown, hasTotals, problems }: Checked,
  { mode }: GatewayOptions,
  { output }: CommandContext,
): void {
  const lines = [
    ...shown.flatMap(serverLines),
    ...problems.map(describeProblem),
    ...(hasTotals ? [totalsLine(servers)] : []),
    ...emptyHint(servers),
  ];
  const document = { servers: rows, totals: totalsOf(servers), problems };
  const isJson = mode.kind === 'check' && mode.isJson;
  output.answer(isJson ? escapeInvisible(JSON.stringify(document)) : wrapForScreen(lines.join('\n'), output));
  process.exitCode = problems.length === 0 && servers.every(isAsConfigured) ? 0 : UNREACHABLE;
}

/** Exit status for a server that cannot be reached or started. */
const UNREACHABLE = 4;

async function startAllOnce(
  options: GatewayOptions,
  context: CommandContext,
): Promise<Pick<Checked, 'servers' | 'problems'>> {
  const config = await readConfig(options, context);
  const { gateway } = openConfiguredGateway(config, options, context);
  const view = gateway.openView(options);
  // A last resort: each server has its own timeouts for startup and listing, counted from its own launch.
  const timeoutMs = 2 * STARTUP_TIMEOUT_MS + config.servers.length * QUEUE_TIME_MS;
  const settled = new Promise<void>((resolve) => gateway.onSettled(timeoutMs, resolve));
  gateway.start(view);
  const notice = setTimeout(() => context.output.report(waitingText(gateway.status(view))), NOTICE_AFTER_MS);
  await settled;
  clearTimeout(notice);
  const servers = gateway.status(view).map(withFailedState);
  const problems = gateway.problems(view);
  storeGatewayNames(gateway, context);
  await gateway.close();
  return { servers, problems };
}

/** Time that a server may wait for its turn because of another one. */
const QUEUE_TIME_MS = 1_000;

function describeProblem({ file, line, message }: LoadedConfig['problems'][number]): string {
  return `${file}:${line}: ${oneLine(message)}`;
}

/** A server that failed and is just reconnecting counts as failed. */
function withFailedState(server: ServerStatus): ServerStatus {
  return server.state === 'connecting' && server.reason !== undefined ? { ...server, state: 'error' } : server;
}

/** After this time a person wants to know what is happening. */
const NOTICE_AFTER_MS = 3_000;
const MAX_NAMED = 10;

function waitingText(servers: readonly ServerStatus[]): string {
  const slow = servers.filter(({ state, tools }) => state === 'connecting' || (state === 'ready' && tools === 0));
  const names = slow.slice(0, MAX_NAMED).map(({ id }) => oneLine(id, 40));
  const more = slow.length > MAX_NAMED ? ` and ${slow.length - MAX_NAMED} more` : '';
  return `Waiting for ${names.join(', ')}${more} (each has its own start timeout, a minute by default) …`;
}

function emptyHint(servers: readonly ServerStatus[]): string[] {
  if (servers.length > 0) return [];
  return ['No MCP servers configured. Add one to ~/.codex/.mcp.json or to .mcp.json: see docs/config.md'];
}
