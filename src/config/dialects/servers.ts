import { keyedDialect } from './keyed.ts';

/** `{ "servers": { … } }`: VS Code and Visual Studio. */
export const servers = keyedDialect('servers');
