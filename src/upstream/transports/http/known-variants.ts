import type { Way } from './protocol-negotiation.ts';

/** How servers were spoken to when they were last connected: whoever falls is back sooner when nobody asks again. */
export interface KnownWays {
  find(url: string): Way | undefined;
  keep(url: string, way: Way): void;
}

/** Servers learn: after this time they are asked again. */
const KEPT_MS = 600_000;

export function createKnownWays(now: () => number): KnownWays {
  const ways = new Map<string, { readonly way: Way; readonly until: number }>();
  return {
    find(url) {
      const found = ways.get(url);
      // Each is used once: when it no longer holds, the next time begins with asking.
      ways.delete(url);
      return found !== undefined && found.until > now() ? found.way : undefined;
    },
    keep(url, way) {
      // What a modern server says of itself is asked for at each connection: there it is the greeting.
      const isWorthKeeping = way.kind === 'two-addresses' || (way.kind === 'session' && !way.isGuess);
      if (isWorthKeeping) ways.set(url, { way, until: now() + KEPT_MS });
    },
  };
}
