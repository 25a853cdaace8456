import { expect, test } from 'vitest';
import { idTextOf, salvageIdText } from './id-text.ts';

test.each([
  ['a whole message', '{"id":7,"method":7}', '7'],
  ['a message with an invalid id', '{"id":{},"method":7}', 'null'],
  ['the start of a request', '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"x":"xxx', '4'],
  ['the start of a request with a string id', '{"jsonrpc":"2.0","id":"a\\"b","method":"m","params":{"x', '"a\\"b"'],
  ['the start of a request with its method first', '{"method":"tools/call","jsonrpc":"2.0","id":9,"params":{', '9'],
  ['the start of a request with a later id', '{"jsonrpc":"2.0","method":"m","params":{"id":5,"x', 'null'],
  ['a request with an invalid escape in its id', '{"jsonrpc":"2.0","id":"a\\2","method":"ping"}', 'null'],
  ['a request with a control character in its id', '{"jsonrpc":"2.0","id":"a\u0001","method":"ping"}', 'null'],
  ['a request with a leading zero in its id', '{"jsonrpc":"2.0","id":01,"method":"ping"}', 'null'],
  ['a request with a lone minus as its id', '{"jsonrpc":"2.0","id":-,"method":"ping"}', 'null'],
  ['no message', 'hello', 'null'],
])('finds the id of %s, or null', (_, text, id) => {
  expect(salvageIdText([Buffer.from(text)])).toBe(id);
});

test('returns an id as it was written', () => {
  const written = '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}';
  expect(idTextOf(JSON.parse(written), [Buffer.from(written)])).toBe('9007199254740993');
});
