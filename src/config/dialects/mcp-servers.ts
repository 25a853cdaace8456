import { keyedDialect } from './keyed.ts';

/** `{ "mcpServers": { … } }`: Claude Code and most other clients. */
export const mcpServers = keyedDialect('mcpServers');
