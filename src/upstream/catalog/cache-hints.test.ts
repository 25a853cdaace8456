import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { type CacheHints, combineCacheHints, NO_LIST, readCacheHints, UNCACHED } from './cache-hints.ts';

describe('the hints of a result', () => {
  test.each<[unknown, unknown, CacheHints]>([
    [60_000, 'public', { ttlMs: 60_000, cacheScope: 'public' }],
    [0, 'private', { ttlMs: 0, cacheScope: 'private' }],
    [undefined, undefined, UNCACHED],
    [60_000, undefined, { ttlMs: 60_000, cacheScope: 'private' }],
    [undefined, 'public', { ttlMs: 0, cacheScope: 'public' }],
    [-1, 'shared', UNCACHED],
    [1.5, 'PUBLIC', UNCACHED],
    ['60000', true, UNCACHED],
    [Number.POSITIVE_INFINITY, null, UNCACHED],
    [2 ** 53, ['public'], UNCACHED],
  ])('ttlMs %j and cacheScope %j', (ttlMs, cacheScope, expected) => {
    expect(readCacheHints({ ttlMs, cacheScope })).toEqual(expected);
  });
});

describe('combined hints', () => {
  const hints = fc.record({
    ttlMs: fc.nat(),
    cacheScope: fc.constantFrom<CacheHints['cacheScope']>('public', 'private'),
  });
  const parts = fc.array(fc.oneof(hints, fc.constant(NO_LIST)), { maxLength: 8 });

  test('are never fresher than any part, and public only if all parts are', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const combined = combineCacheHints(given);
        for (const { ttlMs, cacheScope } of given) {
          expect(combined.ttlMs).toBeLessThanOrEqual(ttlMs);
          if (cacheScope === 'private') expect(combined.cacheScope).toBe('private');
        }
        expect(Number.isSafeInteger(combined.ttlMs)).toBe(true);
      }),
      propertyRuns(200),
    );
  });

  test('depend neither on the order nor on lists that a server does not have', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const combined = combineCacheHints(given);
        expect(combineCacheHints(given.toReversed())).toEqual(combined);
        expect(combineCacheHints([NO_LIST, ...given])).toEqual(combined);
      }),
      propertyRuns(200),
    );
  });

  test('of one list are its own', () => {
    fc.assert(
      fc.property(hints, (given) => {
        expect(combineCacheHints([given])).toEqual(given);
      }),
      propertyRuns(100),
    );
  });

  test.each([[[]], [[NO_LIST]]])('of %j permit no caching', (given) => {
    expect(combineCacheHints(given)).toEqual(UNCACHED);
  });
});
