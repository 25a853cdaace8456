import type { ProtocolVariant } from './protocol-negotiation.ts';

/** Protocol variants of recently connected servers, so that a reconnect needs no new negotiation. */
export interface KnownVariants {
  find(url: string): ProtocolVariant | undefined;
  remember(url: string, variant: ProtocolVariant): void;
}

/** Servers get upgraded: after this time the variant is negotiated again. */
const REMEMBER_MS = 600_000;

export function createKnownVariants(now: () => number): KnownVariants {
  const variants = new Map<string, { readonly variant: ProtocolVariant; readonly until: number }>();
  return {
    find(url) {
      const found = variants.get(url);
      // Each is used once: if it has become wrong, the next connection negotiates again.
      variants.delete(url);
      return found !== undefined && found.until > now() ? found.variant : undefined;
    },
    remember(url, variant) {
      // Modern variants are not stored: `server/discover` is their handshake and runs at each connection anyway.
      const isWorthKeeping = variant.kind === 'legacy-sse' || (variant.kind === 'session' && !variant.isGuess);
      if (isWorthKeeping) variants.set(url, { variant, until: now() + REMEMBER_MS });
    },
  };
}
