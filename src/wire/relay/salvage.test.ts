import { expect, test } from 'vitest';
import { findMessageStarts, salvageResponseId } from './salvage.ts';

const found = (line: string) => [...findMessageStarts([Buffer.from(line)])].map(String);

test.each([
  ['Loading… {"jsonrpc":"2.0","id":1,"result":{}}', ['{"jsonrpc":"2.0","id":1,"result":{}}']],
  [
    '{"jsonrpc":"2.0","id":1,"res{"jsonrpc":"2.0","id":2}',
    ['{"jsonrpc":"2.0","id":1,"res{"jsonrpc":"2.0","id":2}', '{"jsonrpc":"2.0","id":2}'],
  ],
  ['Listening on stdio', []],
  ['{ jsonrpc: 2.0 }', []],
  ['', []],
])('finds message starts in %s', (line, expected) => {
  expect(found(line)).toEqual(expected);
});

test('limits the work for a line with many starts, and for a long line', () => {
  expect(found('{"jsonrpc":"2.0",'.repeat(10_000))).toHaveLength(16);
  expect(found(`${' '.repeat(2 ** 20)}{"jsonrpc":"2.0"}`)).toEqual([]);
});

test.each([
  ['{"jsonrpc":"2.0","id":7,"result":{"content":[', 7],
  ['{"jsonrpc":"2.0","id":7,"error":{"co', 7],
  ['{"jsonrpc":"2.0","id":7,"method":"x', undefined],
  ['{"jsonrpc":"2.0","id":"7","result":{', 7],
  ['{"jsonrpc": "2.0", "id": 7, "result": {"mean": NaN}}', 7],
  ['{"id":7,"jsonrpc":"2.0","result":[1,]}', 7],
  ['{"result":{"mean":NaN},"jsonrpc":"2.0","id":7}', 7],
  ['{"result": {"mean": NaN}, "id": 7, "jsonrpc": "2.0"}', 7],
  ['{"jsonrpc":"2.0","result":{"mean":NaN},"id":7}', 7],
  ['{"jsonrpc":"2.0","method":"x","params":NaN,"id":7}', undefined],
  ['{"jsonrpc":"2.0","id":7', undefined],
  ['{"jsonrpc":"2.0","id":1234567890123456,"result":', undefined],
])('the id of a broken response: %s', (text, id) => {
  expect(salvageResponseId([Buffer.from(text)])).toBe(id);
});
