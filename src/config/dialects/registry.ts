import { isObject } from '../../wire/messages.ts';
import { errorAt } from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { Dialect } from './dialect.ts';
import { mcpServers, mcpServersSnake, servers } from './keyed.ts';
import { switchboardDialect } from './switchboard.ts';
import { listDialect, singleServerDialect } from './unkeyed.ts';

/** All dialects in order of precedence: if a file matches several, the first one applies. */
export const dialects: readonly Dialect[] = [
  mcpServers,
  mcpServersSnake,
  servers,
  switchboardDialect,
  listDialect,
  singleServerDialect,
];

/**
 * Returns the dialect of a file that may use any, and the other matching dialects, whose servers are ignored. Throws if
 * none matches.
 */
export function recognizeDialect(root: JsonValue): { readonly dialect: Dialect; readonly ignored: readonly Dialect[] } {
  const [found, ...ignored] = dialects.filter((dialect) => dialect.matches(root));
  if (found !== undefined) return { dialect: found, ignored };
  // An empty object is a config without servers.
  if (isObject(root.content) && Object.keys(root.content).length === 0) return { dialect: mcpServers, ignored: [] };
  if (isObject(root.content) && isObject(root.content['mcp']))
    throw errorAt(
      root,
      '"mcp" has no "servers": this looks like a config of opencode or another program, which is not read. Write the servers under "mcpServers".',
    );
  throw errorAt(
    root,
    'No servers found: expected "mcpServers", "mcp_servers" or "servers", a list of servers, or one server with "command".',
  );
}
