import { describe, expect, test } from 'vitest';
import { frameText } from '../../../../wire/frame.ts';
import { createKnownTools } from './known-tools.ts';

const schema = (header: unknown) => ({
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': header } },
});
const page = (tools: readonly unknown[]) => [
  Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools, nextCursor: 'n' } })),
];
const REGION = [{ path: ['region'], header: 'mcp-param-region' }];

describe('a tool with an invalid header request', () => {
  test('is omitted from the list, with the reason', () => {
    const tools = createKnownTools();
    const good = { name: 'good', inputSchema: schema('Region') };
    const { frame, dropped } = tools.listed(page([{ name: 'bad "one"', inputSchema: schema('a b') }, good]));
    expect({ list: JSON.parse(frameText(frame)), dropped }).toEqual({
      list: { jsonrpc: '2.0', id: 1, result: { tools: [good], nextCursor: 'n' } },
      dropped: ['tool "bad \\"one\\"" is left out: x-mcp-header of region is not a valid header name'],
    });
    expect([tools.headersOf('good'), tools.headersOf('bad "one"')]).toEqual([REGION, []]);
  });

  test('leaves every byte of the others unchanged', () => {
    const odd = '{"name":"odd","inputSchema":{"maximum":9007199254740993,"minimum":1.0, "default" :1e400}}';
    const bad = `{"name":"bad","inputSchema":${JSON.stringify(schema(''))}}`;
    const text = `{"jsonrpc":"2.0","id":1,"result":{"tools":[${odd},${bad}],"ttlMs":1.0}}`;
    const { frame } = createKnownTools().listed([Buffer.from(text)]);
    expect(frameText(frame)).toBe(`{"jsonrpc":"2.0","id":1,"result":{"tools":[${odd}],"ttlMs":1.0}}`);
  });
});

test('passes on a list without such tools unchanged', () => {
  const frame = page([{ name: 'plain', inputSchema: { type: 'object' } }]);
  expect(createKnownTools().listed(frame)).toEqual({ frame, dropped: [] });
  const good = page([{ name: 'good', inputSchema: schema('Region') }]);
  expect(createKnownTools().listed(good).frame).toBe(good);
});

test('reads a list in pieces', () => {
  const [whole = Buffer.alloc(0)] = page([{ name: 'good', inputSchema: schema('Region') }]);
  const at = whole.indexOf('x-mcp-header') + 4;
  const tools = createKnownTools();
  tools.listed([whole.subarray(0, at), whole.subarray(at)]);
  expect(tools.headersOf('good')).toEqual(REGION);
});

test('a tool listed again without a header has none', () => {
  const tools = createKnownTools();
  tools.listed(page([{ name: 'good', inputSchema: schema('Region') }]));
  tools.listed(page([{ name: 'good', inputSchema: { type: 'object' } }]));
  expect(tools.headersOf('good')).toEqual([]);
});

test.each([
  ['an error', '{"id":1,"error":{"code":1,"message":"x-mcp-header"}}'],
  ['a non-array', '{"id":1,"result":{"tools":"x-mcp-header"}}'],
  ['invalid JSON', 'x-mcp-header {'],
])('passes on %s, which is reported elsewhere', (_, text) => {
  const frame = [Buffer.from(text)];
  expect(createKnownTools().listed(frame)).toEqual({ frame, dropped: [] });
});

test.each(['constructor', '__proto__', 'toString'])('has no headers for a tool named %s', (name) => {
  expect(createKnownTools().headersOf(name)).toEqual([]);
});

test('reports why a tool is omitted once, however often it is listed', () => {
  const tools = createKnownTools();
  const bad = { name: 'bad', inputSchema: { properties: { a: { type: 'object', 'x-mcp-header': 'A' } } } };
  const page = () => [Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [bad] } }))];
  expect(tools.listed(page()).dropped).toHaveLength(1);
  const again = tools.listed(page());
  expect(again.dropped).toEqual([]);
  expect(frameText(again.frame)).toContain('"tools":[]');
});
