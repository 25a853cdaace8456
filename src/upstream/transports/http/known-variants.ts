import type { ProtocolVariant } from './protocol-negotiation.ts';

/** How servers were spoken to when they were last connected: whoever falls is back sooner when nobody asks again. */
export interface KnownVariants {
  find(url: string): ProtocolVariant | undefined;
  remember(url: string, variant: ProtocolVariant): void;
}

/** Servers learn: after this time they are asked again. */
const REMEMBER_MS = 600_000;

export function createKnownVariants(now: () => number): KnownVariants {
  const variants = new Map<string, { readonly way: ProtocolVariant; readonly until: number }>();
  return {
    find(url) {
      const found = variants.get(url);
      // Each is used once: when it no longer holds, the next time begins with asking.
      variants.delete(url);
      return found !== undefined && found.until > now() ? found.way : undefined;
    },
    remember(url, variant) {
      // What a modern server says of itself is asked for at each connection: there it is the greeting.
      const isWorthKeeping = variant.kind === 'two-addresses' || (variant.kind === 'session' && !variant.isGuess);
      if (isWorthKeeping) variants.set(url, { way: variant, until: now() + REMEMBER_MS });
    },
  };
}
