import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ListPages } from './list-pages.ts';

const items = ['{"name":"a"}', '{"name":"b"}', '{"name":"é"}'];

test('sends a short list on one page without a cursor', () => {
  expect(new ListPages('tools', 1, items).page(undefined)).toBe('{"tools":[{"name":"a"},{"name":"b"},{"name":"é"}]}');
  expect(new ListPages('prompts', 1, []).page(undefined)).toBe('{"prompts":[]}');
});

test('pages contain every item once and in order, and exceed the limit only for a single item', () => {
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
  'rejects the cursor %j',
  (cursor) => {
    expect(() => new ListPages('tools', 1, items, 10).page(cursor)).toThrow(
      'params.cursor was not returned by this list.',
    );
  },
);

test('rejects a cursor of another version or of a missing page, and says what to do', () => {
  const cursorOf = (pages: ListPages) => JSON.parse(pages.page(undefined)).nextCursor;
  const older = cursorOf(new ListPages('tools', 1, items, 10));
  const message = 'The list has changed since this cursor was returned: list from the start.';
  expect(() => new ListPages('tools', 2, items, 10).page(older)).toThrow(message);
  expect(() => new ListPages('tools', 1, items).page(older)).toThrow(message);
});

test('lists with the same items are equal', () => {
  const pages = new ListPages('tools', 1, items);
  expect(pages.hasSameItems(new ListPages('tools', 2, items))).toBe(true);
  expect(pages.hasSameItems(new ListPages('tools', 1, items.slice(1)))).toBe(false);
  expect(new ListPages('tools', 0, []).hasSameItems(new ListPages('tools', 1, []))).toBe(true);
});
