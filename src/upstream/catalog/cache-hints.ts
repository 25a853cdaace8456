/** How long a client may cache a result, and whether it may share it. Defined by MCP 2026-07-28. */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/** The hints of everything about which its server says nothing. */
export const UNCACHED: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/** The hints of a list that its server does not have. It limits nothing that it is combined with. */
export const NO_LIST: CacheHints = { ttlMs: Number.POSITIVE_INFINITY, cacheScope: 'public' };

/** Reads the hints of a result. A missing or invalid value is the cautious one. */
export function readCacheHints({
  ttlMs,
  cacheScope,
}: {
  readonly ttlMs: unknown;
  readonly cacheScope: unknown;
}): CacheHints {
  return {
    ttlMs: typeof ttlMs === 'number' && Number.isSafeInteger(ttlMs) && ttlMs > 0 ? ttlMs : UNCACHED.ttlMs,
    cacheScope: cacheScope === 'public' ? 'public' : UNCACHED.cacheScope,
  };
}

/** Returns the hints of a result that is made of several: it is as fresh as the stalest, and private if any of them is. */
export function combineCacheHints(parts: readonly CacheHints[]): CacheHints {
  const listed = parts.filter(({ ttlMs }) => ttlMs !== NO_LIST.ttlMs);
  if (listed.length === 0) return UNCACHED;
  return {
    ttlMs: Math.min(...listed.map(({ ttlMs }) => ttlMs)),
    cacheScope: listed.every(({ cacheScope }) => cacheScope === 'public') ? 'public' : 'private',
  };
}
