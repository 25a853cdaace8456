import { oneLine } from '../base/text.ts';
import type { LoadedConfig } from '../config/server-entry.ts';
import type { AggregateGateway } from '../gateway/open-aggregate.ts';
import { isAsWanted, type ServerStatus } from '../gateway/status.ts';
import { serverLines } from './gateway-check-text.ts';
import type { Output } from './output.ts';

export interface CheckOptions {
  readonly timeoutMs: number;
  readonly isJson: boolean;
}

/** Starts every server once, shows how each of them is, and stops them. True when all that should run do. */
export async function check(
  gateway: AggregateGateway,
  { problems }: LoadedConfig,
  output: Output,
  { timeoutMs, isJson }: CheckOptions,
): Promise<boolean> {
  const settled = new Promise<void>((resolve) => gateway.onSettled(timeoutMs, resolve));
  gateway.start();
  const notice = setTimeout(() => output.complain(waitingFor(gateway.status())), PATIENCE_MS);
  await settled;
  clearTimeout(notice);
  const servers = gateway.status();
  await gateway.close();
  if (isJson) output.answer(JSON.stringify({ servers, problems }));
  else
    output.answer(
      [
        ...servers.flatMap(serverLines),
        ...problems.map(({ file, line, message }) => `${file}:${line}: ${oneLine(message)}`),
        ...emptyHint(servers),
      ].join('\n'),
    );
  return problems.length === 0 && servers.every(isAsWanted);
}

/** After so long a person wants to know what is going on. */
const PATIENCE_MS = 3_000;

function waitingFor(servers: readonly ServerStatus[]): string {
  const slow = servers.filter(({ state, tools }) => state === 'connecting' || (state === 'ready' && tools === 0));
  return `Waiting for ${slow.map(({ id }) => oneLine(id, 40)).join(', ')} (at most a minute) …`;
}

function emptyHint(servers: readonly ServerStatus[]): string[] {
  if (servers.length > 0) return [];
  return ['No MCP servers configured. Add one to ~/.codex/.mcp.json or to .mcp.json: see docs/config.md'];
}
