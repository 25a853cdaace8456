import type { ServerEntry, StdioSettings } from '../../src/config/server-entry.ts';

/** A config entry with the defaults of every setting. */
export function serverEntry(change: Pick<ServerEntry, 'transport'> & Partial<ServerEntry>): ServerEntry {
  return {
    id: 'a',
    origin: { layer: 'mcp-json', file: '/project/.mcp.json', line: 7 },
    tools: { allow: undefined, deny: [] },
    startupTimeoutMs: undefined,
    requestTimeoutMs: undefined,
    start: 'eager',
    pin: false,
    sharesSignIn: false,
    restart: 'overlap',
    share: 'folder',
    expandsVariables: true,
    ...change,
  };
}

/** The settings of a program that is started without arguments. */
export function stdioSettings(change: Partial<StdioSettings> = {}): StdioSettings {
  return {
    kind: 'stdio',
    command: 'server',
    args: [],
    cwd: undefined,
    env: {},
    envVars: [],
    inheritEnv: false,
    framing: 'ndjson',
    ...change,
  };
}
