import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness } from './harness.ts';
import { receivedLines } from './scripted-lines.ts';

const { openGateway } = gatewayHarness();

verifies(
  'gateway:wire:content-length-upstream',
  'multi-line messages from a server reach the client on one line each',
  async () => {
    const { connect } = openGateway({
      one: { ...fixture('speaks-content-length', '--indented'), framing: 'content-length' },
    });
    const client = await connect({ capabilities: { roots: {} } });
    client.onRequest = () => ({ result: { roots: [] } });
    expect(await client.toolNames()).toEqual(['one__echo', 'one__chat']);
    expect((await client.call('one__echo', { text: 'a\nb' })).result.content).toEqual([{ type: 'text', text: 'a\nb' }]);
    const { result } = await client.call('one__chat', {}, { _meta: { progressToken: 't' } });
    expect(JSON.parse(result.content[0].text)).toEqual({ jsonrpc: '2.0', id: 0, result: { roots: [] } });
    expect(client.notifications('notifications/progress').map(({ params }) => params)).toEqual([
      { progressToken: 't', progress: 1 },
    ]);
    expect(client.notifications('notifications/vendor').map(({ params }) => params)).toEqual([{ is: 'unknown' }]);
    expect((await client.call('one__none')).error).toMatchObject({ code: -32602 });
    expect(client.lines.filter((line) => /[\r\n]/.test(line))).toEqual([]);
  },
);

test('messages that a client writes over many lines reach the server, each on one line', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  client.sendLine(
    '{\r\n  "jsonrpc": "2.0",\n  "id": "c",\n  "method": "tools/call",\n  "params": {\n    "name": "one__heard",\n\t"arguments": {"n": 1.0}\n  }\n}\n',
  );
  await client.answer('c');
  client.sendLine('{\n  "jsonrpc": "2.0",\n  "method": "vendor/told",\n  "params": {"n": 1.0}\n}');
  const [call, reported] = (await receivedLines(client, 'one__')).slice(-2);
  expect(call).toMatch(/"params": \{ +"name": "heard", +\t?"arguments": \{"n": 1.0\} +\}/);
  expect(reported).toMatch(/^\{ +"jsonrpc": "2.0", +"method": "vendor\/told", +"params": \{"n": 1.0\} \}$/);
});

test('whitespace around and inside a message does not matter', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  const from = client.lines.length;
  client.send({
    jsonrpc: '2.0',
    id: 'c',
    method: 'tools/call',
    params: {
      name: 'one__say',
      arguments: {
        lines: [
          '  {"jsonrpc":"2.0","method":"vendor/said","params":{"n":1.0}}  ',
          '\t{"jsonrpc":"2.0",\r"id":"$id",\r\t"result":{"n": 1.0}} \t',
        ],
        answers: false,
      },
    },
  });
  expect(await client.answer('c')).toEqual({ jsonrpc: '2.0', id: 'c', result: { n: 1 } });
  expect(client.lines.slice(from).map((line) => line.trim())).toEqual([
    '{"jsonrpc":"2.0","method":"vendor/said","params":{"n":1.0}}',
    '{"jsonrpc":"2.0","id":"c","result":{"n": 1.0}}',
  ]);
  client.sendLine('  {"jsonrpc":"2.0","method":"vendor/told"}  ');
  expect((await receivedLines(client, 'one__')).at(-1)?.trim()).toBe('{"jsonrpc":"2.0","method":"vendor/told"}');
});

test('invalid UTF-8 affects only its own characters, not the message', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  const bad = (method: string) =>
    Buffer.concat([
      Buffer.from(`{"jsonrpc":"2.0","method":"${method}","params":{"n":1.0,"text":"a`),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('b"}}'),
    ]);
  client.sendLine(bad('vendor/told'));
  expect((await receivedLines(client, 'one__')).at(-1)).toBe(
    '{"jsonrpc":"2.0","method":"vendor/told","params":{"n":1.0,"text":"a\ufffd\ufffdb"}}',
  );
});
