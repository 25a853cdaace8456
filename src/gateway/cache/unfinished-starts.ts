import type { FailureCache } from '../../upstream/catalog-cache/failure-cache.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';

/**
 * Records on disk which servers are still starting while a client waits for its list. Codex, for example, kills the
 * gateway a moment after asking it to stop. Without this record, the next gateway would wait for the same servers
 * again.
 */
export interface UnfinishedStarts {
  /** Records this server if it is still starting after a while. */
  watch(server: GatewayServer): void;
  /** The server has listed its tools: removes its record. */
  finished(server: GatewayServer): void;
  /** No client is waiting any more. Existing records stay. */
  stop(): void;
}

export interface UnfinishedStartsOptions {
  readonly cache: FailureCache;
  readonly keyOf: (server: GatewayServer) => string | undefined;
  /** Whether the server was launched and has neither failed nor listed its tools. */
  readonly isStarting: (server: GatewayServer) => boolean;
}

/** Most servers start faster than this, so no file is written for them. */
const CHECK_EVERY_MS = 1_000;

export function createUnfinishedStarts({ cache, keyOf, isStarting }: UnfinishedStartsOptions): UnfinishedStarts {
  const watched = new Set<GatewayServer>();
  const recorded = new Map<GatewayServer, string>();
  let timer: NodeJS.Timeout | undefined;

  const recordStarting = () => {
    for (const server of watched) {
      if (!isStarting(server)) continue;
      watched.delete(server);
      const key = keyOf(server);
      if (key === undefined) continue;
      recorded.set(server, key);
      cache.write(server.entry.id, key, {
        code: 'TIMED_OUT',
        message: 'it had not listed its tools when the client left',
      });
    }
  };

  return {
    watch(server) {
      watched.add(server);
      timer ??= setInterval(recordStarting, CHECK_EVERY_MS).unref();
    },
    finished(server) {
      watched.delete(server);
      const key = recorded.get(server);
      if (key === undefined) return;
      recorded.delete(server);
      cache.remove(server.entry.id, key);
    },
    stop() {
      clearInterval(timer);
      watched.clear();
    },
  };
}
