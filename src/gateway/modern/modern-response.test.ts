import { describe, expect, test } from 'vitest';
import { outgoingText } from '../../wire/json/splice.ts';
import { type ModernResponseOptions, toModernResponse } from './modern-response.ts';

const INFO = '"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}';

function convert(text: string, method = 'tools/call', options: Partial<ModernResponseOptions> = {}): string {
  return outgoingText(toModernResponse(text, { idText: '7', method, serverInfo: '{"name":"s"}', ...options }));
}

describe('a result', () => {
  test.each([
    [
      '{"jsonrpc":"2.0","id":7,"result":{"a": 1.0}}',
      `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete",${INFO},"a": 1.0}}`,
    ],
    [
      '{"result":{"a": 1.0},"jsonrpc":"2.0","id":7}',
      `{"result":{"resultType":"complete",${INFO},"a": 1.0},"jsonrpc":"2.0","id":7}`,
    ],
    ['{"id":7, "result":{}, "jsonrpc":"2.0"}', `{"id":7, "result":{"resultType":"complete",${INFO}}, "jsonrpc":"2.0"}`],
    ['{"jsonrpc":"2.0","id":7,"result":{}}', `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete",${INFO}}}`],
    ['{"jsonrpc":"2.0","id":7,"result":[1]}', '{"jsonrpc":"2.0","id":7,"result":[1]}'],
  ])('%s gets the members of the modern era', (text, expected) => {
    expect(convert(text)).toBe(expected);
  });

  test('keeps the members that it has', () => {
    const result = '{"resultType":"task","_meta":{"x":1},"ttlMs":5,"cacheScope":"public"}';
    const text = `{"jsonrpc":"2.0","id":7,"result":${result}}`;
    expect(convert(text, 'resources/read')).toBe(text);
  });

  test('that only mentions such members gets them', () => {
    const text = '{"jsonrpc":"2.0","id":7,"result":{"a":{"resultType":"x","_meta":{},"ttlMs":1}}}';
    expect(JSON.parse(convert(text)).result).toMatchObject({ resultType: 'complete', a: { resultType: 'x' } });
  });

  test.each(['server/discover', 'tools/list', 'resources/read'])(
    'of %s is not cached unless the server says so',
    (method) => {
      const { result } = JSON.parse(convert('{"jsonrpc":"2.0","id":7,"result":{"ttlMs":5}}', method));
      expect(result).toMatchObject({ ttlMs: 5, cacheScope: 'private' });
      const unknown = JSON.parse(convert('{"jsonrpc":"2.0","id":7,"result":{}}', method));
      expect(unknown.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    },
  );
});

describe('a cacheable result', () => {
  const hintsOf = (result: string, method: string, options: Partial<ModernResponseOptions>) => {
    const { ttlMs, cacheScope } = JSON.parse(
      convert(`{"jsonrpc":"2.0","id":7,"result":${result}}`, method, options),
    ).result;
    return { ttlMs, cacheScope };
  };
  const cacheHints = { ttlMs: 5, cacheScope: 'public' } as const;

  test.each(['{"tools":[]}', '{"tools":[{"_meta":{}}]}'])('gets the hints of the list: %s', (result) => {
    expect(hintsOf(result, 'tools/list', { cacheHints })).toEqual(cacheHints);
    expect(hintsOf(result, 'tools/list', { cacheHints, isPrivate: true })).toEqual({ ttlMs: 5, cacheScope: 'private' });
  });

  test.each([
    '{"contents":[],"ttlMs":5,"cacheScope":"public"}',
    '{"contents":[],"ttlMs":5,"cacheScope":"private","cacheScope":"public"}',
    '{"contents":[],"ttlMs":5,"cache\\u0053cope":"public"}',
    '{"contents":[],"ttl\\u004ds":5,"cache\\u0053cope":"public"}',
  ])('keeps the hints of its server, and is private if the client needed a token: %s', (result) => {
    expect(hintsOf(result, 'resources/read', {})).toEqual(cacheHints);
    expect(hintsOf(result, 'resources/read', { isPrivate: true })).toEqual({ ttlMs: 5, cacheScope: 'private' });
  });

  test('with only a cacheScope keeps it', () => {
    expect(hintsOf('{"cacheScope":"public"}', 'resources/read', {})).toEqual({ ttlMs: 0, cacheScope: 'public' });
  });
});

test('an unknown resource gets the code of the modern era, and other errors stay the same', () => {
  const error = (code: number) =>
    `{"jsonrpc":"2.0","id":7,"error":{"code":${code},"message":"-32002","data":{"code":-32002}}}`;
  expect(convert(error(-32002))).toBe(error(-32602));
  expect(convert(error(-32042))).toBe(error(-32042));
});
