/** How long a client may cache a result, and whether it may share it. Defined by MCP 2026-07-28. */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/** The hints of a result whose server sent none. */
export const UNCACHED: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/** The hints of a list that its server does not offer. They do not affect combined hints. */
export const NO_LIST: CacheHints = { ttlMs: Number.POSITIVE_INFINITY, cacheScope: 'public' };

/** Reads the hints of a result. Missing and invalid values permit no caching. */
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

/** Combines the hints of several results: the shortest `ttlMs`, and `private` if any of them is. */
export function combineCacheHints(parts: readonly CacheHints[]): CacheHints {
  const listed = parts.filter(({ ttlMs }) => ttlMs !== NO_LIST.ttlMs);
  if (listed.length === 0) return UNCACHED;
  return {
    ttlMs: Math.min(...listed.map(({ ttlMs }) => ttlMs)),
    cacheScope: listed.every(({ cacheScope }) => cacheScope === 'public') ? 'public' : 'private',
  };
}
