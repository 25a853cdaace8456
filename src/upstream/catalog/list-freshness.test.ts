import { describe, expect, test } from 'vitest';
import { AppError } from '../../base/errors.ts';
import type { UpstreamState } from '../state.ts';
import { type CacheHints, NO_LIST, UNCACHED } from './cache-hints.ts';
import { hasExpired, remainingHints } from './list-freshness.ts';
import { createListStates, type ListState } from './list-state.ts';

const PUBLIC: CacheHints = { ttlMs: 1_000, cacheScope: 'public' };

function server(capabilities: Readonly<Record<string, unknown>>, version = '2026-07-28') {
  const initializeResult = {
    ...{ protocolVersion: version, capabilities },
    ...{ serverInfo: {}, instructions: undefined, json: '{}' },
  };
  return (state: UpstreamState = { kind: 'ready' }) => ({ state, initializeResult });
}

const announcing = server({ tools: { listChanged: true } });
const silent = server({ tools: {} });
const legacy = server({ tools: { listChanged: true } }, '2025-11-25');

/** A list that was requested when the clock showed 5000. */
function list(changes: Partial<ListState> = {}): ListState {
  return { ...createListStates().tools, isListed: true, hints: PUBLIC, requestedAt: 5_000, ...changes };
}

describe('the hints of a list for clients', () => {
  const down: UpstreamState = { kind: 'error', error: new AppError('UNREACHABLE', 'gone') };
  const stale: CacheHints = { ttlMs: 0, cacheScope: 'public' };

  test.each<[string, ReturnType<typeof announcing>, Partial<ListState>, number, CacheHints]>([
    ['is what the server said, if it announces changes', announcing(), {}, 9_000, PUBLIC],
    ['is what remains of it, if the server announces none', silent(), {}, 5_400.5, { ...PUBLIC, ttlMs: 599 }],
    ['is that it is stale, once nothing remains', silent(), {}, 6_000, stale],
    ['is that it is stale while the server is down', announcing(down), {}, 5_000, stale],
    ['is that it is stale while it is read again', announcing(), { activity: 'reading' }, 5_000, stale],
    ['is that it is stale after a change', announcing(), { isStale: true }, 5_000, stale],
    ['is that it is stale if it is incomplete', announcing(), { problem: 'more than 1000 pages' }, 5_000, stale],
    ['is nothing before it was read in this run', announcing(), { isListed: false, hints: UNCACHED }, 5_000, UNCACHED],
    ['is nothing if it was inherited', announcing(), { isInherited: true }, 5_000, UNCACHED],
    ['is nothing for a legacy server', legacy(), {}, 5_000, UNCACHED],
    ['limits nothing if the server has no such list', server({})(), { hints: NO_LIST }, 99_000, NO_LIST],
  ])('%s', (_, upstream, changes, now, expected) => {
    expect(remainingHints(upstream, 'tools', list(changes), now)).toEqual(expected);
  });
});

describe('a list is read again', () => {
  const down: UpstreamState = { kind: 'connecting' };

  test.each<[string, ReturnType<typeof silent>, Partial<ListState>, number, boolean]>([
    ['when it has expired', silent(), {}, 6_000, true],
    ['at once if it must not be cached', silent(), { hints: UNCACHED }, 5_000, true],
    ['not before', silent(), {}, 5_999, false],
    ['not if the server announces changes', announcing(), {}, 99_000, false],
    ['not while the server is down', silent(down), {}, 99_000, false],
    ['not while it is being read', silent(), { activity: 'reading' }, 99_000, false],
    ['not if the last read failed, because that is repeated with pauses', silent(), { problem: 'x' }, 99_000, false],
    ['not from a legacy server', legacy(), { hints: UNCACHED }, 99_000, false],
    ['not if the server has no such list', server({})(), { hints: NO_LIST }, 99_000, false],
  ])('%s', (_, upstream, changes, now, expected) => {
    expect(hasExpired(upstream, 'tools', list(changes), now)).toBe(expected);
  });
});
