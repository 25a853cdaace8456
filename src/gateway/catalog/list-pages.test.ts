import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ListPages } from './list-pages.ts';

const items = ['{"name":"a"}', '{"name":"b"}', '{"name":"é"}'];

test('what is short goes out on one page, without a cursor', () => {
  expect(new ListPages('tools', 1, items).page(undefined)).toBe('{"tools":[{"name":"a"},{"name":"b"},{"name":"é"}]}');
  expect(new ListPages('prompts', 1, []).page(undefined)).toBe('{"prompts":[]}');
});

test('pages together hold every item once and in order, and none is longer than the limit unless one item is', () => {
  const list = fc.array(
    fc.string({ maxLength: 20 }).map((text) => JSON.stringify(text)),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(list, fc.integer({ min: 1, max: 100 }), (all, limit) => {
      const pages = new ListPages('tools', 7, all, limit);
      const seen: unknown[] = [];
      let cursor: unknown;
      do {
        const page = JSON.parse(pages.page(cursor));
        const length = page.tools.map((item: unknown) => JSON.stringify(item)).join(',').length;
        expect(length <= limit || page.tools.length === 1).toBe(true);
        seen.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(all.map((item) => JSON.parse(item)));
    }),
  );
});

test.each([['made up'], [''], [7], [null], [{}], [Buffer.from('prompts 1 1').toString('base64url')]])(
  'the cursor %j is none of this list',
  (cursor) => {
    expect(() => new ListPages('tools', 1, items, 10).page(cursor)).toThrow(
      'params.cursor is not one that this list gave.',
    );
  },
);

test('a cursor of another version, or of a page that is not there, is refused with what to do', () => {
  const cursorOf = (pages: ListPages) => JSON.parse(pages.page(undefined)).nextCursor;
  const older = cursorOf(new ListPages('tools', 1, items, 10));
  const message = 'The list has changed since this cursor was given: list from the start.';
  expect(() => new ListPages('tools', 2, items, 10).page(older)).toThrow(message);
  expect(() => new ListPages('tools', 1, items).page(older)).toThrow(message);
});

test('two lists are the same when their items are', () => {
  const pages = new ListPages('tools', 1, items);
  expect(pages.hasSameItems(new ListPages('tools', 2, items))).toBe(true);
  expect(pages.hasSameItems(new ListPages('tools', 1, items.slice(1)))).toBe(false);
  expect(new ListPages('tools', 0, []).hasSameItems(new ListPages('tools', 1, []))).toBe(true);
});
