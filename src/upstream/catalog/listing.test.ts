import { expect, test } from 'vitest';
import { AppError } from '../../base/errors.ts';
import { readListing } from './listing.ts';

test('keeps the bytes of each page as received, across all cursors', async () => {
  const asked: unknown[] = [];
  const pages = [
    '{"tools":[ 1.0 ],"nextCursor":"a\\u0041"}',
    '{"x":{"tools":[0]},"tools":[],"nextCursor":"b"}',
    '{"tools":[{}]}',
  ];
  const listing = await readListing('tools', async (params) => {
    asked.push(params);
    return answer(pages[asked.length - 1] ?? '{}');
  });
  expect(asked).toEqual([{}, { cursor: 'aA' }, { cursor: 'b' }]);
  expect(texts(listing)).toEqual({ pages: ['[ 1.0 ]', '[]', '[{}]'], problem: undefined });
});

test.each([
  ['null', 'null'],
  ['empty', '""'],
  ['a number', '7'],
  ['an array', '[[[]]]'],
])('ignores a cursor that is %s', async (_, cursor) => {
  const listing = await readListing('tools', async () => answer(`{"tools":[1],"nextCursor":${cursor}}`));
  expect(texts(listing)).toEqual({ pages: ['[1]'], problem: undefined });
});

test('uses the last of two members with the same name, like every parser', async () => {
  const listing = await readListing('tools', async () =>
    answer('{"tools":[1],"tools":[2],"nextCursor":"a","nextCursor":null}'),
  );
  expect(texts(listing)).toEqual({ pages: ['[2]'], problem: undefined });
});

test('ends the list at a repeated cursor, and reports it', async () => {
  const cursors = ['a', 'b', 'a'];
  const listing = await readListing('tools', async () => answer(`{"tools":[],"nextCursor":"${cursors.shift()}"}`));
  expect(texts(listing)).toEqual({ pages: ['[]', '[]', '[]'], problem: 'a cursor that points back to itself' });
});

test('ends a list with too many pages, and reports it', async () => {
  let page = 0;
  const listing = await readListing('prompts', async () => answer(`{"prompts":[],"nextCursor":"${page++}"}`));
  expect([listing.pages.length, listing.problem]).toEqual([1000, 'more than 1000 pages']);
});

test('ends a list over the size limit, and reports it', async () => {
  const large = `"${'x'.repeat(30 * 2 ** 20)}"`;
  let page = 0;
  const listing = await readListing('resources', async () =>
    answer(`{"resources":[${large}],"nextCursor":"${page++}"}`),
  );
  expect([listing.pages.length, listing.problem]).toEqual([3, 'more than 64 MiB']);
});

test.each(['{}', '{"tools":{}}', '{"tools":null}', '[]', 'null'])(
  'ends the list at a page without an array: %s',
  async (result) => {
    const pages = ['{"tools":[1],"nextCursor":"a"}', result];
    const listing = await readListing('tools', async () => answer(pages.shift() ?? ''));
    expect(texts(listing)).toEqual({ pages: ['[1]'], problem: 'a page without an array "tools"' });
  },
);

test.each([
  [['{"tools":[],"ttlMs":5,"cacheScope":"public"}'], { ttlMs: 5, cacheScope: 'public' }],
  [
    ['{"tools":[],"ttlMs":9,"cacheScope":"public","nextCursor":"a"}', '{"ttlMs":5,"cacheScope":"private","tools":[]}'],
    { ttlMs: 5, cacheScope: 'private' },
  ],
  [
    ['{"tools":[],"ttlMs":9,"cacheScope":"public","nextCursor":"a"}', '{"tools":[]}'],
    { ttlMs: 0, cacheScope: 'private' },
  ],
  [['{"tools":[],"ttlMs":[9],"cacheScope":{}}'], { ttlMs: 0, cacheScope: 'private' }],
  [['{}'], { ttlMs: 0, cacheScope: 'private' }],
])('combines what the pages %j say about caching', async (pages, expected) => {
  const rest = [...pages];
  const { hints } = await readListing('tools', async () => answer(rest.shift() ?? ''));
  expect(hints).toEqual(expected);
});

test('fails if a page fails', async () => {
  const error = new AppError('TIMED_OUT', 'too slow');
  await expect(readListing('tools', () => Promise.reject(error))).rejects.toBe(error);
});

function answer(result: string) {
  return { frame: [Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`)] };
}

function texts({ pages, problem }: Awaited<ReturnType<typeof readListing>>) {
  return { pages: pages.map(String), problem };
}
