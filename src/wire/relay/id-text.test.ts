import { expect, test } from 'vitest';
import { idTextOf, salvageIdText } from './id-text.ts';

test.each([
  ['a whole message', '{"id":7,"method":7}', '7'],
  ['a message whose id is no id', '{"id":{},"method":7}', 'null'],
  ['the beginning of a request', '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"x":"xxx', '4'],
  ['the beginning of one with a text for an id', '{"jsonrpc":"2.0","id":"a\\"b","method":"m","params":{"x', '"a\\"b"'],
  ['the beginning of one that names its method first', '{"method":"tools/call","jsonrpc":"2.0","id":9,"params":{', '9'],
  ['the beginning of one whose id comes later', '{"jsonrpc":"2.0","method":"m","params":{"id":5,"x', 'null'],
  ['one whose id has a bad escape', '{"jsonrpc":"2.0","id":"a\\2","method":"ping"}', 'null'],
  ['one whose id holds a control character', '{"jsonrpc":"2.0","id":"a\u0001","method":"ping"}', 'null'],
  ['one whose id has a leading zero', '{"jsonrpc":"2.0","id":01,"method":"ping"}', 'null'],
  ['one whose id is a minus', '{"jsonrpc":"2.0","id":-,"method":"ping"}', 'null'],
  ['no message', 'hello', 'null'],
])('the id of %s is found, or nobody is answered', (_, text, id) => {
  expect(salvageIdText([Buffer.from(text)])).toBe(id);
});

test('an id comes back as it was written', () => {
  const written = '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}';
  expect(idTextOf(JSON.parse(written), [Buffer.from(written)])).toBe('9007199254740993');
});
