import { expect, test } from 'vitest';
import { statusOf } from './response-status.ts';

const error = (id: string, code: number) => `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"x"}}`;

test.each([
  ['{"jsonrpc":"2.0","id":1,"result":{}}', 200, 200],
  [error('1', -32601), 200, 404],
  [error('"a\\"b"', -32601), 200, 404],
  [error('-1.5e3', -32601), 200, 404],
  [error('1', -32602), 200, 200],
  [error('1', -32603), 200, 200],
  [error('1', -32020), 200, 400],
  [error('1', -32021), 200, 400],
  [error('1', -32022), 200, 400],
  [error('1', 1005), 200, 200],
  [error('null', -32700), 400, 400],
  [error('null', -32600), 400, 400],
  ['{"jsonrpc":"2.0","id":1,"result":{"error":{"code":-32601}}}', 200, 200],
  ['{"jsonrpc":"2.0","id":"\\"error\\":{\\"code\\":-32601","result":{}}', 200, 200],
])('%s has the status %i in the legacy era and %i in the modern one', (message, legacy, modern) => {
  expect([statusOf(message, 'legacy'), statusOf(message, 'modern')]).toEqual([legacy, modern]);
  const bytes = Buffer.from(message);
  const spliced = { pieces: [bytes.subarray(0, 30), bytes.subarray(30)], bytes: bytes.length };
  expect(statusOf(spliced, 'modern')).toBe(modern);
});
