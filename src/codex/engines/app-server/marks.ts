import { MARK_VARIABLE } from '../../../base/process/mark.ts';
import { DEPTH_VARIABLE } from '../../../config/depth.ts';
import { isObject } from '../../../wire/messages.ts';
import type { SessionSettings } from '../../engine.ts';
import type { AppServerLink } from './link.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Variables for every MCP server that Codex will start for a session. Codex hands its servers a few variables only, and
 * ours are not among them: without the mark a server that ignores the end of its stdin would outlive a Codex that was
 * killed, and without the depth a switchboard among them would not know that it runs inside another.
 */
export async function serverMarks(link: AppServerLink, settings: SessionSettings): Promise<Members> {
  const { cwd = null } = settings;
  const { config } = await link.request('config/read', { cwd });
  const own = isObject(settings.config) ? settings.config['mcp_servers'] : undefined;
  const names = [isObject(config) ? config['mcp_servers'] : undefined, own].flatMap(programs);
  if (names.length === 0) return {};
  const env = { [MARK_VARIABLE]: link.mark, [DEPTH_VARIABLE]: String(link.depth) };
  return { mcp_servers: Object.fromEntries(names.map((name) => [name, { env }])) };
}

/** Those that are programs; the others are addresses. */
function programs(servers: unknown): readonly string[] {
  if (!isObject(servers)) return [];
  return Object.entries(servers)
    .filter(([, server]) => isObject(server) && typeof server['command'] === 'string')
    .map(([name]) => name);
}
