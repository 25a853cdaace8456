import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderFairly } from './fair-order.ts';

test('lists that fit on one page keep the order of their servers', () => {
  expect(orderFairly([['a1', 'a2'], [], ['c1']], 100)).toEqual(['a1', 'a2', 'c1']);
});

test('a long list leaves each other server its share of the page', () => {
  const long = Array.from({ length: 50 }, (_, index) => `a${index}`.padEnd(9));
  expect(orderFairly([long, ['b1', 'b2'], ['c1']], 90).slice(0, 6)).toEqual([...long.slice(0, 3), 'b1', 'b2', 'c1']);
});

test('contains every item once, each server in its own order', () => {
  const lists = fc.array(fc.array(fc.string({ maxLength: 30 }), { maxLength: 10 }), { maxLength: 6 });
  fc.assert(
    fc.property(lists, fc.integer({ min: 1, max: 200 }), (texts, pageLength) => {
      const named = texts.map((list, server) => list.map((text, index) => `${server} ${index} ${text}`));
      const ordered = orderFairly(named, pageLength);
      expect(ordered).toHaveLength(named.flat().length);
      for (const [server, list] of named.entries()) {
        expect(ordered.filter((item) => item.startsWith(`${server} `))).toEqual(list);
      }
    }),
  );
});
