import { keyedDialect } from './keyed.ts';

/** `{ "mcpServers": { … } }`: Claude Code and most others. */
export const mcpServers = keyedDialect('mcpServers');
