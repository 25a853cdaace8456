import { keyedDialect } from './keyed.ts';

/** `{ "mcp_servers": { … } }`: named like the table in Codex's own config. */
export const mcpServersSnake = keyedDialect('mcp_servers');
