/**
 * Clients whose calls were cancelled or timed out. The server may not know that yet, and still send messages about such
 * a call, so these clients count as callers for a while.
 */
export interface FormerCallers {
  add(client: object | undefined): void;
  all(): readonly object[];
}

const LINGER_MS = 2_000;
const MAX_CLIENTS = 1_000;

export function createFormerCallers(now = () => performance.now()): FormerCallers {
  const untilByClient = new Map<object, number>();
  const prune = () => {
    for (const [client, until] of untilByClient) if (until <= now()) untilByClient.delete(client);
  };
  return {
    add(client) {
      if (client === undefined) return;
      if (untilByClient.size >= MAX_CLIENTS) prune();
      if (untilByClient.size < MAX_CLIENTS) untilByClient.set(client, now() + LINGER_MS);
    },
    all() {
      if (untilByClient.size > 0) prune();
      return [...untilByClient.keys()];
    },
  };
}
