import type { ServerEntry } from '../server-entry.ts';

export interface TypedEntryOptions {
  readonly id: string;
  readonly transport: ServerEntry['transport'];
  /** How the user typed the server, for commands in messages. */
  readonly target?: string;
}

/** Returns the entry of a server that is named by a command line instead of a config file. */
export function typedEntry({ id, transport, target }: TypedEntryOptions): ServerEntry {
  return {
    id,
    origin: { layer: 'command-line', file: '', line: 0, ...(target === undefined ? {} : { target }) },
    transport,
    tools: { allow: undefined, deny: [] },
    ...{ startupTimeoutMs: undefined, requestTimeoutMs: undefined, start: 'eager', pin: false, sharesSignIn: false },
    ...{ restart: 'overlap', share: 'folder', expandsVariables: false },
  };
}

/** Returns how to start a typed command: it inherits everything, because the caller has chosen it. */
export function commandTransport(command: string, args: readonly string[]): ServerEntry['transport'] {
  const settings = { cwd: undefined, env: {}, envVars: [], inheritEnv: true, framing: 'ndjson' } as const;
  return { kind: 'stdio', command, args, ...settings };
}
