import { isObject } from '../../wire/messages.ts';
import { checkForeignName } from '../entry/entry-name.ts';
import { pickUnique, readMembers } from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';
import { type Dialect, FOREIGN_TRANSPORTS, type RawServer } from './dialect.ts';

/** `{ "mcpServers": { … } }`: Claude Code and most other clients. */
export const mcpServers = keyedDialect('mcpServers');

/** `{ "mcp_servers": { … } }`: named like the table in Codex's own config. */
export const mcpServersSnake = keyedDialect('mcp_servers');

/** `{ "servers": { … } }`: VS Code and Visual Studio. */
export const servers = keyedDialect('servers');

/** Returns the dialect for `{ "<key>": { "<name>": { "command": … } } }`, the format of most clients. */
function keyedDialect(key: string): Dialect {
  return {
    name: key,
    expandsVariables: true,
    transports: FOREIGN_TRANSPORTS,
    checkName: checkForeignName,
    matches: ({ content }) => isObject(content) && Object.hasOwn(content, key),
    readServers: (root) => readKeyedServers(pickUnique(root, key)),
  };
}

/** Reads an object whose keys are the server names. */
export function readKeyedServers(servers: JsonValue | undefined): readonly RawServer[] {
  if (servers === undefined) return [];
  return readMembers(servers).map(({ key, line, value }) => ({ id: key, line, value }));
}
