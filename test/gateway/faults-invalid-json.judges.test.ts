import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { at, httpHarness } from '../http/harness.ts';

/** Results that look valid but contain invalid JSON: their callers get an error at once, and nobody gets the bytes. */
const { openGateway, openServer } = httpHarness();

const FILLER = JSON.stringify('x "quoted" é\n'.repeat(600));
const BAD: readonly (readonly [string, string])[] = [
  ['NaN', '{"mean":NaN}'],
  ['Infinity', '[-Infinity]'],
  ['a bad escape', '"\\x41"'],
  ['a control character', '"a\u0001b"'],
  ['a lone comma', '[1,]'],
  ['a number with a leading zero', '01'],
  ['a number without digits', '1.'],
  ['a closer of the other kind', '[}'],
  ['an unquoted key', '{mean:1}'],
];
const ORDERS: readonly (readonly [string, (id: string, result: string) => string])[] = [
  ['the id first', (id, result) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`],
  ['the id last', (id, result) => `{"result":${result},"jsonrpc":"2.0","id":${id}}`],
  ['as Python writes it', (id, result) => `{"jsonrpc": "2.0", "id": ${id}, "result": ${result}}`],
];
const SIZES: readonly (readonly [string, string])[] = [
  ['small', '""'],
  ['large', FILLER],
  ['over a mebibyte', `[${Array.from({ length: 180 }, () => FILLER).join(',')}]`],
];
const result = (filler: string, bad: string) => `{"content":[],"structuredContent":{"filler":${filler},"bad":${bad}}}`;
const expected = (server: string) => ({
  code: 1012,
  message: expect.stringMatching(/^Server error: tools\/call: the server sent an answer that is not valid JSON: /),
  data: expect.objectContaining({ kind: 'server_error', retryable: false, serverName: server }),
});

describe.each(ORDERS)('a result with %s', (_, write) => {
  test.each(SIZES)('%s, with invalid JSON in it, becomes an error', async (_size, filler) => {
    const { connect } = openGateway({ bad: fixture('says-anything') });
    const client = await connect();
    await client.toolNames();
    for (const [what, bad] of BAD) {
      // The fixture repeats the line, so that it need not be sent as an argument.
      const { error } = await client.call('bad__say', { lines: [write('"$id"', result(filler, bad))], answers: false });
      expect({ what, error }).toEqual({ what, error: expected('bad') });
    }
    expect((await client.call('bad__say', { lines: [] })).result).toBeDefined();
  });
});

test.each([
  ['JSON', 'application/json', (message: string) => message],
  ['an event stream', 'text/event-stream', (message: string) => `data: ${message}\n\n`],
])('over HTTP as %s, a result that is not valid JSON becomes an error', async (_, type, frame) => {
  const server = await openServer((came, response) => {
    const { id, method, params } = came.message;
    if (came.method !== 'POST') return response.writeHead(405).end();
    if (id === undefined) return response.writeHead(202).end();
    const results: Record<string, string> = {
      initialize: '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s"}}',
      'tools/list': '{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}',
      'tools/call': result(FILLER, String((params as { arguments?: { bad?: string } } | undefined)?.arguments?.bad)),
    };
    const reply = results[String(method)];
    const body =
      reply === undefined
        ? `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"no"}}`
        : `{"jsonrpc":"2.0","id":${id},"result":${reply}}`;
    return response.writeHead(200, { 'content-type': type }).end(frame(body));
  });
  const { connect } = openGateway({ far: at(server.url) });
  const client = await connect();
  await client.toolNames();
  for (const [what, bad] of BAD) {
    const { error } = await client.call('far__echo', { bad });
    expect({ what, error }).toEqual({ what, error: expected('far') });
  }
  expect((await client.call('far__echo', { bad: '1' })).result.structuredContent.bad).toBe(1);
});

test('data that looks like a response, inside an invalid result, fails no other call', async () => {
  const { connect } = openGateway({ bad: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  // All ids that the gateway may have assigned to the pending call.
  const inside = Array.from({ length: 40 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"result":{}}`).join(',');
  const pending = client.call('bad__say', { lines: [], answers: false });
  let isSettled = false;
  void pending.then(() => {
    isSettled = true;
  });
  const line = `{"jsonrpc":"2.0","id":"$id","result":{"content":[],"bad":NaN,"data":[${inside}]}}`;
  const { error } = await client.call('bad__say', { lines: [line], answers: false });
  expect(error).toEqual(expected('bad'));
  expect((await client.call('bad__say', { lines: [] })).result).toBeDefined();
  expect(isSettled).toBe(false);
});
