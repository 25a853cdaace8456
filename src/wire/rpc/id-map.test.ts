import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createIdMap } from './id-map.ts';

test('holds what a Map with the same history holds, in key order', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('set' as const), skip: fc.nat(3) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('delete' as const), back: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const), back: fc.nat(5000) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('jump' as const), far: fc.nat(20_000) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const ring = createIdMap<string>();
      const map = new Map<number, string>();
      let last = 0;
      for (const [index, now] of steps.entries()) {
        if (now.kind === 'jump') last += now.far;
        else if (now.kind === 'set') {
          last += 1 + now.skip;
          ring.set(last, `${index}`);
          map.set(last, `${index}`);
        } else {
          const key = Math.max(0, last - now.back);
          if (now.kind === 'delete') expect(ring.delete(key)).toBe(map.delete(key));
          else if (map.has(key)) {
            ring.set(key, `again ${index}`);
            map.set(key, `again ${index}`);
          }
        }
        expect(ring.size).toBe(map.size);
        expect(ring.get(last)).toBe(map.get(last));
      }
      expect([...ring]).toEqual([...map].sort(([a], [b]) => a - b));
      ring.clear();
      expect([ring.size, [...ring]]).toEqual([0, []]);
    }),
  );
});

test('finds an old entry after thousands of others come and go', () => {
  const ring = createIdMap<number>();
  ring.set(1, 1);
  for (let key = 2; key < 20_000; key++) {
    ring.set(key, key);
    expect(ring.delete(key)).toBe(true);
  }
  expect([ring.get(1), ring.size, [...ring]]).toEqual([1, 1, [[1, 1]]]);
  expect(ring.delete(1)).toBe(true);
  expect(ring.size).toBe(0);
});

test('does not find a missing key, whatever its number', () => {
  const ring = createIdMap<string>();
  ring.set(5, 'x');
  for (const key of [Number.NaN, -1, 0, 4, 21, 2 ** 40, 5.5]) expect(ring.get(key)).toBeUndefined();
});
