import type { Session } from '../../../codex/sessions/session.ts';
import { LOCAL_TOKEN_NAME } from '../../../serve/access/local-token.ts';
import { LOCAL_PRINCIPAL } from '../../../serve/access/no-auth.ts';
import type { HttpEndpoint } from '../../../serve/fronts/http/endpoint.ts';
import type { Principal } from '../../../serve/fronts/http/principal.ts';
import { createServerEndpoint } from '../../../serve/fronts/http/server-endpoint.ts';
import type { ServedClient } from '../../../serve/served-client.ts';
import { wellFormedJson } from '../../../wire/json/well-formed-json.ts';
import type { CodexOwner, OpenedCodex } from '../open.ts';

/**
 * One codex server per token, each with its own Codex process, so that nothing reaches the clients of another token.
 * All servers share the limit of running turns.
 */
export interface CodexServers {
  /** Connects each client to the server of its token. */
  readonly endpoint: HttpEndpoint;
  clients(): readonly ServedClient[];
  sessions(): readonly Session[];
  /** Ends all running turns, so that calls which wait for them return. Never throws. */
  interruptAll(): void;
  /** Ends the sessions of a token that is no longer valid. */
  revoke(tokenId: string): void;
  /** Ends all sessions. Never throws. */
  close(): Promise<void>;
}

export interface CodexServersOptions {
  /** Opens the server of a token, or of the local user if `tokenId` is undefined. Must not throw. */
  readonly open: (tokenId: string | undefined, owner: Pick<CodexOwner, 'ready' | 'countElsewhere'>) => OpenedCodex;
  /** A server without clients and running turns is closed after this time, and opened again when it is needed. */
  readonly idleMs?: number;
}

const IDLE_MS = 5 * 60_000;
const MAX_CHECK_INTERVAL_MS = 30_000;

export function createCodexServers({ open, idleMs = IDLE_MS }: CodexServersOptions): CodexServers {
  const running = new Map<string, RunningServer>();
  const closing = new Map<string, Promise<void>>();

  const countElsewhere = (key: string) =>
    [...running].reduce(
      (sum, [other, { codex }]) => sum + (other === key ? 0 : codex.sessions.registry.activeCount),
      0,
    );

  const start = (key: string): RunningServer => {
    const codex = open(key === LOCAL ? undefined : key, {
      ready: closing.get(key) ?? Promise.resolve(),
      countElsewhere: () => countElsewhere(key),
    });
    const clients = new Set<ServedClient>();
    const onClient = (client: ServedClient) => {
      clients.add(client);
      client.left.addEventListener('abort', () => clients.delete(client), { once: true });
    };
    const endpoint = createServerEndpoint(codex.server, { onClient, rewrite: wellFormedJson });
    const started = { codex, clients, endpoint, tokenIds: new Set<string>(), usedAt: performance.now() };
    running.set(key, started);
    return started;
  };

  const end = (key: string, { codex }: RunningServer): Promise<void> => {
    running.delete(key);
    const ended = codex.sessions.close().finally(() => {
      if (closing.get(key) === ended) closing.delete(key);
    });
    closing.set(key, ended);
    return ended;
  };

  const endIdle = () => {
    const now = performance.now();
    for (const [key, server] of running) {
      if (isInUse(server)) server.usedAt = now;
      else if (now - server.usedAt > idleMs) void end(key, server);
    }
  };
  const timer = setInterval(endIdle, Math.min(idleMs, MAX_CHECK_INTERVAL_MS)).unref();

  return {
    endpoint: {
      connect(client, output) {
        const key = keyOf(client.principal);
        const server = running.get(key) ?? start(key);
        server.tokenIds.add(client.principal.tokenId);
        server.usedAt = performance.now();
        return server.endpoint.connect(client, output);
      },
    },
    clients: () => [...running.values()].flatMap(({ clients }) => [...clients]),
    sessions: () => [...running.values()].flatMap(({ codex }) => codex.sessions.registry.all()),
    interruptAll() {
      for (const { sessions } of [...running.values()].map(({ codex }) => codex))
        for (const { id } of sessions.registry.running()) {
          // If Codex does not end a turn, `close` ends Codex.
          void sessions.interrupt(id).catch(() => undefined);
        }
    },
    revoke(tokenId) {
      for (const [key, server] of running) if (server.tokenIds.has(tokenId)) void end(key, server);
    },
    async close() {
      clearInterval(timer);
      for (const [key, server] of running) void end(key, server);
      await Promise.all(closing.values());
    },
  };
}

interface RunningServer {
  readonly codex: OpenedCodex;
  readonly clients: Set<ServedClient>;
  readonly endpoint: HttpEndpoint;
  /** The tokens of its clients: one, or those that the local user has had. */
  readonly tokenIds: Set<string>;
  usedAt: number;
}

/** Not the id of a token, which has 12 hex digits. */
const LOCAL = 'local';

/** The local user's own programs share the sessions that do not belong to any other token. */
function keyOf({ tokenId, name }: Principal): string {
  return name === LOCAL_TOKEN_NAME || tokenId === LOCAL_PRINCIPAL.tokenId ? LOCAL : tokenId;
}

function isInUse({ clients, codex }: RunningServer): boolean {
  const { registry } = codex.sessions;
  return (
    clients.size > 0 ||
    registry.activeCount > 0 ||
    registry.all().some(({ pendingApprovals, queue }) => pendingApprovals.length > 0 || queue.length > 0)
  );
}
