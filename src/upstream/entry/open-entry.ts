import type { Environment } from '../../config/files/folders.ts';
import { loginCommand } from '../../config/next-command.ts';
import { type ResolvedHttp, resolveHttp } from '../../config/resolve/resolve-http.ts';
import { resolveStdio } from '../../config/resolve/resolve-stdio.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { ProtocolVariant } from '../transports/http/protocol-negotiation.ts';
import type { OpenTransport } from '../transports/transport.ts';
import { createTransports, type Transports } from '../transports/transports.ts';
import type { ConnectOptions } from './connect-server.ts';

export interface OpenEntryOptions {
  readonly transports: Transports;
  readonly environment: Environment;
  /** Working folder of programs whose entry names none. Without it, they run in that of this process. */
  readonly defaultCwd?: string | undefined;
  /** Variables that are set for every program, whatever its entry says. */
  readonly addedEnv?: Readonly<Record<string, string>> | undefined;
  readonly onStderrLine?: ((serverId: string, line: string) => void) | undefined;
  /** Called when an HTTP server has responded for the first time. */
  readonly onNegotiated?: (server: ResolvedHttp, variant: ProtocolVariant['kind'], isSignedIn: boolean) => void;
}

/**
 * Returns how to start the program of an entry, or to connect to its URL. The entry is resolved at each start, because
 * variables may have changed.
 */
export function openEntry(entry: ServerEntry, options: OpenEntryOptions): OpenTransport {
  const { transports, environment, defaultCwd, addedEnv, onStderrLine, onNegotiated } = options;
  const { env } = environment;
  if (entry.transport.kind === 'stdio')
    return transports.stdio(() => {
      const program = resolveStdio(entry, env, environment);
      return {
        ...program,
        cwd: program.cwd ?? defaultCwd,
        env: { ...program.env, ...addedEnv },
        onStderrLine: onStderrLine && ((line) => onStderrLine(entry.id, line)),
      };
    });
  return transports.http(() => {
    const server = resolveHttp(entry, env, environment);
    return {
      serverId: entry.id,
      loginCommand: loginCommand(entry),
      ...server,
      onNegotiated: onNegotiated && ((variant, isSignedIn) => onNegotiated(server, variant, isSignedIn)),
    };
  });
}

/** The transport of one entry, with the resources to close afterwards. */
export interface EntryTransport {
  readonly open: OpenTransport;
  /** Returns the access tokens that are sent to the server. */
  tokens(): readonly string[];
  close(): Promise<void>;
}

/** Returns how to open an entry that shares its transports with no other. */
export function openSingleEntry({ entry, environment, signIn, onStep }: ConnectOptions): EntryTransport {
  const transports = createTransports(environment.env, { environment, signIn });
  const open = openEntry(entry, {
    transports,
    environment,
    onNegotiated({ url, hasOwnAuthorization }, variant, isSignedIn) {
      onStep?.('reached', `${new URL(url).host}, ${VARIANT_TEXTS[variant]}`);
      if (hasOwnAuthorization) onStep?.('known', 'by the header from its entry');
      else onStep?.('known', isSignedIn ? 'signed in' : 'not required');
    },
  });
  return { open, tokens: transports.tokens, close: transports.close };
}

const VARIANT_TEXTS = {
  modern: 'it uses MCP without sessions',
  session: 'it answers',
  'legacy-sse': 'it uses HTTP with SSE',
} as const;
