import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outgoingText } from '../../../wire/json/splice.ts';
import { addMembers, parseRequest } from './envelope.ts';

const META = '"v":"2026-07-28","c":{}';
/** Values that parsing and serializing would change. */
const ODD = '{"big":9007199254740993,"float":1.0,"huge":1e400,"twice":1,"twice":2,"__proto__":{"a":1}, "u":"\\u0041" }';

const add = (text: string, additions: Partial<Parameters<typeof addMembers>[1]> = {}): string =>
  outgoingText(addMembers(parseRequest(text), { meta: META, ...additions }));

describe('params that are not an object', () => {
  test.each(['[1]', 'null', '"text"', '7'])('%s are rejected', (params) => {
    expect(() => add(`{"jsonrpc":"2.0","id":1,"method":"x","params":${params}}`)).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMS', message: 'params must be an object.' }),
    );
  });
});

describe('adds the envelope and leaves every other byte unchanged', () => {
  test.each([
    [
      'without params',
      '{"jsonrpc":"2.0","id":1,"method":"x"}',
      `{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{${META}}}}`,
    ],
    ['with empty params', '{"id":1,"params":{}}', `{"id":1,"params":{"_meta":{${META}}}}`],
    ['with whitespace in empty params', '{"id":1,"params":{ }}', `{"id":1,"params":{ "_meta":{${META}}}}`],
    ['with params', '{"params":{"name":"a"},"id":1}', `{"params":{"name":"a","_meta":{${META}}},"id":1}`],
    ['with an empty _meta', '{"params":{"_meta":{},"name":"a"}}', `{"params":{"_meta":{${META}},"name":"a"}}`],
    [
      'with an existing _meta',
      '{"params":{"_meta":{"progressToken":7},"name":"a"}}',
      `{"params":{"_meta":{"progressToken":7,${META}},"name":"a"}}`,
    ],
    [
      'with a null _meta',
      '{"params":{"_meta":null,"name":"a"}}',
      `{"params":{"_meta":null,"name":"a","_meta":{${META}}}}`,
    ],
    [
      'with duplicate _meta, where the last one applies',
      '{"params":{"_meta":{"a":1},"_meta":{"b":2}}}',
      `{"params":{"_meta":{"a":1},"_meta":{"b":2,${META}}}}`,
    ],
    [
      'with duplicate params, where the last one applies',
      '{"params":{"a":1},"params":{"b":2}}',
      `{"params":{"a":1},"params":{"b":2,"_meta":{${META}}}}`,
    ],
    [
      'with a _meta inside the arguments',
      '{"params":{"arguments":{"_meta":{"a":1},"params":{}}}}',
      `{"params":{"arguments":{"_meta":{"a":1},"params":{}},"_meta":{${META}}}}`,
    ],
    [
      'with values that parsing would change',
      `{"id":1,"params":{"arguments":${ODD}, "_meta": ${ODD} }}`,
      `{"id":1,"params":{"arguments":${ODD}, "_meta": ${ODD.slice(0, -1)},${META}} }}`,
    ],
  ])('%s', (_, text, expected) => {
    expect(add(text)).toBe(expected);
  });

  test('with our members last, so that a client cannot override them', () => {
    const forged = '{"id":1,"params":{"_meta":{"v":"1999-01-01","c":{"sampling":{}}}}}';
    expect(JSON.parse(add(forged))).toEqual({ id: 1, params: { _meta: { v: '2026-07-28', c: {} } } });
  });

  test('also in pieces', () => {
    const pieces = ['{"id":1,"par', Buffer.from('ams":{"a":"ü'), '"}}'];
    const message = addMembers(parseRequest({ pieces, bytes: 0 }), { meta: META });
    expect(outgoingText(message)).toBe(`{"id":1,"params":{"a":"ü","_meta":{${META}}}}`);
  });
});

describe('a repeated request', () => {
  const again = { idText: '"1-1"', params: '"inputResponses":{},"requestState":"s"' };

  test.each([
    ['{"id":1,"method":"x"}', `{"id":"1-1","method":"x","params":{"_meta":{${META}},${again.params}}}`],
    ['{"method":"x","params":{},"id":1}', `{"method":"x","params":{"_meta":{${META}},${again.params}},"id":"1-1"}`],
    [
      '{"id":1,"params":{"_meta":{"t":1},"name":"a"}}',
      `{"id":"1-1","params":{"_meta":{"t":1,${META}},"name":"a",${again.params}}}`,
    ],
    [
      '{"id":1,"params":{"name":"a","_meta":{}}}',
      `{"id":"1-1","params":{"name":"a","_meta":{${META}},${again.params}}}`,
    ],
  ])('%s has another id and carries the answers', (text, expected) => {
    expect(add(text, again)).toBe(expected);
  });

  test('ignores an id in the arguments', () => {
    expect(add('{"params":{"arguments":{"id":7}},"id":1}', { idText: '2' })).toBe(
      `{"params":{"arguments":{"id":7},"_meta":{${META}}},"id":2}`,
    );
  });
});

test('adds our members to any params, which parse as before', () => {
  const params = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(params, fc.option(params), (rest, meta) => {
      const own = meta === null ? rest : { ...rest, _meta: meta };
      const request = { jsonrpc: '2.0', id: 1, method: 'x', params: own };
      const read: unknown = JSON.parse(add(JSON.stringify(request)));
      const kept = typeof own['_meta'] === 'object' && !Array.isArray(own['_meta']) ? own['_meta'] : {};
      // JSON.parse reads -0 as 0.
      const expected = { ...request, params: { ...own, _meta: { ...kept, v: '2026-07-28', c: {} } } };
      expect(read).toEqual(JSON.parse(JSON.stringify(expected)));
    }),
  );
});
