import { expect, test } from 'vitest';
import { AppError } from '../../base/errors.ts';
import { readListing } from './listing.ts';

test('the bytes of each page are kept as they came, over all cursors', async () => {
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
  ['a list', '[[[]]]'],
])('a cursor that is %s leads nowhere', async (_, cursor) => {
  const listing = await readListing('tools', async () => answer(`{"tools":[1],"nextCursor":${cursor}}`));
  expect(texts(listing)).toEqual({ pages: ['[1]'], problem: undefined });
});

test('of two members with one name the last counts, as for everybody who parses it', async () => {
  const listing = await readListing('tools', async () =>
    answer('{"tools":[1],"tools":[2],"nextCursor":"a","nextCursor":null}'),
  );
  expect(texts(listing)).toEqual({ pages: ['[2]'], problem: undefined });
});

test('a cursor that came before ends the list, and says so', async () => {
  const cursors = ['a', 'b', 'a'];
  const listing = await readListing('tools', async () => answer(`{"tools":[],"nextCursor":"${cursors.shift()}"}`));
  expect(texts(listing)).toEqual({ pages: ['[]', '[]', '[]'], problem: 'a cursor that leads back to itself' });
});

test('a list of more pages than anybody has ends, and says so', async () => {
  let page = 0;
  const listing = await readListing('prompts', async () => answer(`{"prompts":[],"nextCursor":"${page++}"}`));
  expect([listing.pages.length, listing.problem]).toEqual([1000, 'more than 1000 pages']);
});

test('a list that is larger than anybody needs ends, and says so', async () => {
  const large = `"${'x'.repeat(30 * 2 ** 20)}"`;
  let page = 0;
  const listing = await readListing('resources', async () =>
    answer(`{"resources":[${large}],"nextCursor":"${page++}"}`),
  );
  expect([listing.pages.length, listing.problem]).toEqual([3, 'more than 64 MiB']);
});

test.each(['{}', '{"tools":{}}', '{"tools":null}', '[]', 'null'])(
  'a page without a list ends it: %s',
  async (result) => {
    const pages = ['{"tools":[1],"nextCursor":"a"}', result];
    const listing = await readListing('tools', async () => answer(pages.shift() ?? ''));
    expect(texts(listing)).toEqual({ pages: ['[1]'], problem: 'a page without an array "tools"' });
  },
);

test('a page that does not come fails the whole', async () => {
  const error = new AppError('TIMED_OUT', 'too slow');
  await expect(readListing('tools', () => Promise.reject(error))).rejects.toBe(error);
});

function answer(result: string) {
  return { frame: [Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`)] };
}

function texts({ pages, problem }: Awaited<ReturnType<typeof readListing>>) {
  return { pages: pages.map(String), problem };
}
