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

describe('a tool that asks for a header in a wrong way', () => {
  test('is left out of the list, and it is told why', () => {
    const tools = createKnownTools();
    const good = { name: 'good', inputSchema: schema('Region') };
    const { frame, dropped } = tools.listed(page([{ name: 'bad "one"', inputSchema: schema('a b') }, good]));
    expect({ list: JSON.parse(frameText(frame)), dropped }).toEqual({
      list: { jsonrpc: '2.0', id: 1, result: { tools: [good], nextCursor: 'n' } },
      dropped: ['tool "bad \\"one\\"" is left out: x-mcp-header of region is no name of a header'],
    });
    expect([tools.headersOf('good'), tools.headersOf('bad "one"')]).toEqual([REGION, []]);
  });

  test('leaves every byte of the others as it was', () => {
    const odd = '{"name":"odd","inputSchema":{"maximum":9007199254740993,"minimum":1.0, "default" :1e400}}';
    const bad = `{"name":"bad","inputSchema":${JSON.stringify(schema(''))}}`;
    const text = `{"jsonrpc":"2.0","id":1,"result":{"tools":[${odd},${bad}],"ttlMs":1.0}}`;
    const { frame } = createKnownTools().listed([Buffer.from(text)]);
    expect(frameText(frame)).toBe(`{"jsonrpc":"2.0","id":1,"result":{"tools":[${odd}],"ttlMs":1.0}}`);
  });
});

test('a list without such tools is handed on as it came', () => {
  const frame = page([{ name: 'plain', inputSchema: { type: 'object' } }]);
  expect(createKnownTools().listed(frame)).toEqual({ frame, dropped: [] });
  const good = page([{ name: 'good', inputSchema: schema('Region') }]);
  expect(createKnownTools().listed(good).frame).toBe(good);
});

test('a list that comes in pieces is read all the same', () => {
  const [whole = Buffer.alloc(0)] = page([{ name: 'good', inputSchema: schema('Region') }]);
  const at = whole.indexOf('x-mcp-header') + 4;
  const tools = createKnownTools();
  tools.listed([whole.subarray(0, at), whole.subarray(at)]);
  expect(tools.headersOf('good')).toEqual(REGION);
});

test('a tool that was listed again without a header has none any more', () => {
  const tools = createKnownTools();
  tools.listed(page([{ name: 'good', inputSchema: schema('Region') }]));
  tools.listed(page([{ name: 'good', inputSchema: { type: 'object' } }]));
  expect(tools.headersOf('good')).toEqual([]);
});

test.each([
  ['an error', '{"id":1,"error":{"code":1,"message":"x-mcp-header"}}'],
  ['no list', '{"id":1,"result":{"tools":"x-mcp-header"}}'],
  ['no JSON', 'x-mcp-header {'],
])('%s is handed on: somebody else will say so', (_, text) => {
  const frame = [Buffer.from(text)];
  expect(createKnownTools().listed(frame)).toEqual({ frame, dropped: [] });
});

test.each(['constructor', '__proto__', 'toString'])('nobody knows a tool called %s', (name) => {
  expect(createKnownTools().headersOf(name)).toEqual([]);
});

test('why a tool is left out is told once, however often it is listed', () => {
  const tools = createKnownTools();
  const bad = { name: 'bad', inputSchema: { properties: { a: { type: 'object', 'x-mcp-header': 'A' } } } };
  const page = () => [Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [bad] } }))];
  expect(tools.listed(page()).dropped).toHaveLength(1);
  const again = tools.listed(page());
  expect(again.dropped).toEqual([]);
  expect(frameText(again.frame)).toContain('"tools":[]');
});
