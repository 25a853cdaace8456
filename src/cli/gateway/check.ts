import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import type { LoadedConfig } from '../../config/server-entry.ts';
import type { AggregateGateway } from '../../gateway/entry/open-aggregate.ts';
import { isAsConfigured, type ServerStatus } from '../../gateway/status/server-status.ts';
import type { Output } from '../output.ts';
import { wrapForScreen } from '../terminal/wrap.ts';
import { serverLines, totalsLine, totalsOf } from './check-text.ts';

export interface CheckOptions {
  readonly timeoutMs: number;
  readonly isJson: boolean;
}

/** Starts every server once, prints its status and stops it. Returns true when all enabled servers are ready. */
export async function check(
  gateway: AggregateGateway,
  { problems }: LoadedConfig,
  output: Output,
  options: CheckOptions,
): Promise<boolean> {
  const servers = await startAllOnce(gateway, output, options);
  return printCheck(
    { servers, rows: servers, shown: servers, hasTotals: servers.length > 1, problems },
    output,
    options,
  );
}

/** Does the same but prints only failures: the purpose is to fill the tool cache. */
export async function warm(
  gateway: AggregateGateway,
  { problems }: LoadedConfig,
  output: Output,
  options: CheckOptions,
): Promise<boolean> {
  const servers = await startAllOnce(gateway, output, options);
  const rows = servers.map(({ id, state, tools, reason, next }) => ({ id, state, tools, reason, next }));
  const shown = servers.filter((server) => !isAsConfigured(server));
  return printCheck({ servers, rows, shown, hasTotals: servers.length > 0, problems }, output, options);
}

interface Checked extends Pick<LoadedConfig, 'problems'> {
  readonly servers: readonly ServerStatus[];
  /** For `--json`. */
  readonly rows: readonly object[];
  /** For the terminal. */
  readonly shown: readonly ServerStatus[];
  readonly hasTotals: boolean;
}

/** Returns true when all enabled servers are ready. */
function printCheck(
  { servers, rows, shown, hasTotals, problems }: Checked,
  output: Output,
  { isJson }: CheckOptions,
): boolean {
  const lines = [
    ...shown.flatMap(serverLines),
    ...problems.map(describeProblem),
    ...(hasTotals ? [totalsLine(servers)] : []),
    ...emptyHint(servers),
  ];
  const document = { servers: rows, totals: totalsOf(servers), problems };
  output.answer(isJson ? escapeInvisible(JSON.stringify(document)) : wrapForScreen(lines.join('\n'), output));
  return problems.length === 0 && servers.every(isAsConfigured);
}

async function startAllOnce(
  gateway: AggregateGateway,
  output: Output,
  { timeoutMs }: CheckOptions,
): Promise<readonly ServerStatus[]> {
  const settled = new Promise<void>((resolve) => gateway.onSettled(timeoutMs, resolve));
  gateway.start();
  const notice = setTimeout(() => output.report(waitingText(gateway.status())), NOTICE_AFTER_MS);
  await settled;
  clearTimeout(notice);
  const servers = gateway.status().map(withFailedState);
  await gateway.close();
  return servers;
}

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
  return `Waiting for ${names.join(', ')}${more} (each has its own time to start, a minute by default) …`;
}

function emptyHint(servers: readonly ServerStatus[]): string[] {
  if (servers.length > 0) return [];
  return ['No MCP servers configured. Add one to ~/.codex/.mcp.json or to .mcp.json: see docs/config.md'];
}
