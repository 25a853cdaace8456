import { AppError } from '../../base/errors.ts';
import { openProcesses } from '../../base/process/processes.ts';
import { createByteBudget } from '../../wire/stream/byte-budget.ts';
import { MAX_UNFINISHED_BYTES } from '../limits.ts';
import type { HttpServers, HttpServersOptions, NamedHttpServer } from './http/http-servers.ts';
import { openStdio, type StdioServer } from './stdio.ts';
import type { OpenTransport } from './transport.ts';

/** Opens servers of every kind, and stops what was started. */
export interface Transports {
  /** `describe` is asked at each start, because what a server needs may have changed. */
  stdio(resolveServer: () => StdioServer): OpenTransport;
  http(resolveServer: () => NamedHttpServer): OpenTransport;
  /** Whether somebody may have signed in to this server since it refused us. Cheap. */
  credentialsChanged(serverId: string): boolean;
  /** What servers are sent to prove who asks, and must be shown to nobody. */
  tokens(): readonly string[];
  /** Stops everything that is still running, and stores the tokens of refreshes in flight. May be called twice, never throws. */
  close(): Promise<void>;
}

/** `env` is our own environment. `http` says where sign-ins are kept; without it no server is reached by an address. */
export function createTransports(
  env: Readonly<Record<string, string | undefined>>,
  http?: HttpServersOptions,
): Transports {
  const processes = openProcesses({ env });
  const unfinishedBytes = createByteBudget(MAX_UNFINISHED_BYTES);
  // HTTP is loaded when a server needs it: most have none.
  let loading: Promise<HttpServers> | undefined;
  let loaded: HttpServers | undefined;
  const load = async () => {
    if (http === undefined) throw new AppError('INTERNAL', 'Nobody said where sign-ins are kept.');
    const { createHttpServers } = await import('./http/http-servers.ts');
    loaded = createHttpServers({ ...http, budget: unfinishedBytes });
    return loaded;
  };
  return {
    stdio: (resolveServer) => async (receiver) =>
      openStdio(resolveServer(), { processes, unfinishedBytes, env }, receiver),
    http: (resolveServer) => async (receiver) => {
      const server = resolveServer();
      loading ??= load();
      return (await loading).open(server, receiver);
    },
    credentialsChanged: (serverId) => loaded?.credentialsChanged(serverId) ?? true,
    tokens: () => loaded?.tokens() ?? [],
    async close() {
      await Promise.all([processes.close(), loaded?.close()]);
    },
  };
}
