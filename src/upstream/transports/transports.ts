import { AppError } from '../../base/errors.ts';
import { openProcesses } from '../../base/process/processes.ts';
import { createByteBudget } from '../../wire/stream/byte-budget.ts';
import { MAX_UNFINISHED_BYTES } from '../limits.ts';
import type { HttpServers, HttpServersOptions, NamedHttpServer } from './http/http-servers.ts';
import { openStdio, type StdioServer } from './stdio/stdio.ts';
import type { OpenTransport } from './transport.ts';

/** Opens servers of every transport and stops all processes. */
export interface Transports {
  /** Calls `resolveServer` at each start, because the config or the environment may have changed. */
  stdio(resolveServer: () => StdioServer): OpenTransport;
  http(resolveServer: () => NamedHttpServer): OpenTransport;
  /** Returns whether someone may have signed in to this server since it rejected us. Cheap. */
  credentialsChanged(serverId: string): boolean;
  /** Returns the access tokens sent to servers. They must never be shown. */
  tokens(): readonly string[];
  /** Stops all running processes and stores the tokens of pending refreshes. May be called twice; never throws. */
  close(): Promise<void>;
}

/**
 * Creates the transports. `env` is the gateway's own environment. `http` locates the stored sign-ins; without it, HTTP
 * servers cannot be opened.
 */
export function createTransports(
  env: Readonly<Record<string, string | undefined>>,
  http?: HttpServersOptions,
): Transports {
  const processes = openProcesses({ env });
  const unfinishedBytes = createByteBudget(MAX_UNFINISHED_BYTES);
  // HTTP code is loaded on first use: most gateways have no HTTP server.
  let loading: Promise<HttpServers> | undefined;
  let loaded: HttpServers | undefined;
  const load = async () => {
    if (http === undefined) throw new AppError('INTERNAL', 'No store for sign-ins is configured.');
    const { createHttpServers } = await import('./http/http-servers.ts');
    loaded = createHttpServers({ ...http, budget: unfinishedBytes });
    return loaded;
  };
  return {
    stdio: (resolveServer) => async (receiver, hints) =>
      openStdio(resolveServer(), { processes, unfinishedBytes, env }, receiver, hints),
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
