import { MODERN_VERSION } from '../../wire/protocol-versions.ts';
import type { Upstream } from '../upstream.ts';
import { type CacheHints, NO_LIST, UNCACHED } from './cache-hints.ts';
import { capabilityFor } from './fetch-list.ts';
import { isFresh, type ListState } from './list-state.ts';
import type { ListKind } from './listing.ts';

type ListedServer = Pick<Upstream, 'state' | 'initializeResult'>;

/**
 * Returns the hints for clients that get a list now. Unless the server announces changes, its `ttlMs` counts from when
 * we requested the list. A list that may be stale gets `ttlMs` 0.
 */
export function remainingHints(
  upstream: ListedServer,
  kind: ListKind,
  state: ListState,
  now = performance.now(),
): CacheHints {
  if (!isModern(upstream) || state.isInherited) return UNCACHED;
  const { ttlMs, cacheScope } = state.hints;
  if (upstream.state.kind !== 'ready' || !isFresh(state) || state.problem !== undefined)
    return { ttlMs: 0, cacheScope };
  if (announcesChanges(upstream, kind) || ttlMs === NO_LIST.ttlMs) return state.hints;
  return { ttlMs: Math.max(0, Math.floor(ttlMs - (now - state.requestedAt))), cacheScope };
}

/** Returns whether the `ttlMs` of a list has passed, and its server announces no changes. */
export function hasExpired(upstream: ListedServer, kind: ListKind, state: ListState, now = performance.now()): boolean {
  // A list that could not be read is retried with backoff elsewhere.
  if (upstream.state.kind !== 'ready' || state.activity !== 'idle' || state.problem !== undefined) return false;
  if (!isModern(upstream) || announcesChanges(upstream, kind)) return false;
  return now - state.requestedAt >= state.hints.ttlMs;
}

/** In the legacy era, `ttlMs` and `cacheScope` have no meaning, even if a result contains them. */
function isModern({ initializeResult }: ListedServer): boolean {
  return initializeResult?.protocolVersion === MODERN_VERSION;
}

function announcesChanges(upstream: ListedServer, kind: ListKind): boolean {
  return capabilityFor(upstream, kind)?.['listChanged'] === true;
}
