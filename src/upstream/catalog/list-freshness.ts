import { MODERN_VERSION } from '../../wire/protocol-versions.ts';
import type { Upstream } from '../upstream.ts';
import { type CacheHints, NO_LIST, UNCACHED } from './cache-hints.ts';
import { capabilityFor } from './fetch-list.ts';
import { isFresh, type ListState } from './list-state.ts';
import type { ListKind } from './listing.ts';

type ListedServer = Pick<Upstream, 'state' | 'initializeResult'>;

/**
 * Returns how long clients may cache a list of a server from now on. What a modern server said counts from when we
 * requested the list, unless the server announces changes. A list that we cannot vouch for must not be cached.
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

/** Returns whether a list has outlived what its server said about it, and the server announces no changes. */
export function hasExpired(upstream: ListedServer, kind: ListKind, state: ListState, now = performance.now()): boolean {
  // A list that could not be read is read again with pauses.
  if (upstream.state.kind !== 'ready' || state.activity !== 'idle' || state.problem !== undefined) return false;
  if (!isModern(upstream) || announcesChanges(upstream, kind)) return false;
  return now - state.requestedAt >= state.hints.ttlMs;
}

/** Servers of the legacy era say nothing about caching, even if such members are in their results. */
function isModern({ initializeResult }: ListedServer): boolean {
  return initializeResult?.protocolVersion === MODERN_VERSION;
}

function announcesChanges(upstream: ListedServer, kind: ListKind): boolean {
  return capabilityFor(upstream, kind)?.['listChanged'] === true;
}
