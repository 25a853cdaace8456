import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness } from './harness.ts';
import { receivedLines } from './scripted-lines.ts';

const { openGateway, openSingle } = gatewayHarness();

const ODD_ARGUMENTS = [
  '{"big":9007199254740993,"float":1.0,"huge":1e400,"tiny":-0.0,"twice":1,"twice":2}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":null}}',
  '{"escaped":"\\u0041\\/\\ud800\\udfff\\uDBFF","spaced" : [ ] , "é日😀":"\u2028\u007f"}',
  '{ }',
  `{"long":"${'ü'.repeat(60_000)}","end":1.0}`,
];

describe('arguments reach the server byte for byte', () => {
  test.each(ODD_ARGUMENTS.map((args) => [args.slice(0, 60), args]))('%s…', async (_, args) => {
    const { connect } = openGateway({ one: fixture('exact-bytes') });
    const client = await connect();
    await client.toolNames();
    const call = (rest: string) => `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{${rest}}}`;
    client.sendLine(call(`"name":"one__raw-arguments","arguments":${args},"_meta":{"progressToken":1}`));
    const { result } = await client.answer('c');
    expect(Buffer.from(result.content[0].text, 'base64').toString()).toBe(args);
  });

  verifies('gateway:call:arguments-unchanged', 'in an unusually written call too', async () => {
    const { connect } = openGateway({ one: fixture('exact-bytes') });
    const client = await connect();
    await client.toolNames();
    for (const [index, args] of ODD_ARGUMENTS.entries()) {
      client.sendLine(
        `{"params":{"_meta":null,"arguments":${args},"name":"one__odd-values","name":"one__raw-arguments"},"method":"tools/call","id":"c${index}","jsonrpc":"2.0"}`,
      );
      const { result } = await client.answer(`c${index}`);
      expect(Buffer.from(result.content[0].text, 'base64').toString()).toBe(args);
    }
  });

  verifies('gateway:call:arguments-unchanged', 'with a single server too', async () => {
    const client = await openSingle(fixture('exact-bytes')).connect();
    for (const [index, args] of ODD_ARGUMENTS.entries()) {
      client.sendLine(
        `{"jsonrpc":"2.0","id":${index + 10},"method":"tools/call","params":{"arguments":${args},"name":"raw-arguments"}}`,
      );
      const { result } = await client.answer(index + 10);
      expect(Buffer.from(result.content[0].text, 'base64').toString()).toBe(args);
    }
    await client.call('odd-values');
    expect(client.lines.at(-1)).toContain('{"big":9007199254740993,"float":1.0,"huge":1e400,"twice":1,"twice":2,');
  });

  verifies('gateway:aggregate:transparent', 'with everything else in the request', async () => {
    const { connect } = openGateway({ one: fixture('says-anything') });
    const client = await connect();
    await client.toolNames();
    client.sendLine(
      '{"jsonrpc":"2.0","id":"c","vendor":1.0,"method":"tools/call","params":{"extra":{"id":7,"name":"x"},"name":"one__heard","_meta":{"a/b":1.0,"progressToken":"t"},"task":{"ttl":1.0}},"more":[9007199254740993]}',
    );
    await client.answer('c');
    const [line] = (await receivedLines(client, 'one__')).slice(-1);
    const id = /"id":(\d+)/.exec(line ?? '')?.[1];
    expect(line).toBe(
      `{"jsonrpc":"2.0","id":${id},"vendor":1.0,"method":"tools/call","params":{"extra":{"id":7,"name":"x"},"name":"heard","_meta":{"a/b":1.0,"progressToken":${id}},"task":{"ttl":1.0}},"more":[9007199254740993]}`,
    );
  });
});

verifies('gateway:call:result-unchanged', 'a result reaches the client byte for byte', async () => {
  const { connect } = openGateway({ one: fixture('exact-bytes') });
  const client = await connect();
  await client.call('one__odd-values');
  expect(client.lines.at(-1)).toMatch(/^\{"jsonrpc":"2.0","id":\d+,"result":/);
  expect(client.lines.at(-1)).toContain(
    '{"content":[],"structuredContent":{"big":9007199254740993,"float":1.0,"huge":1e400,"twice":1,"twice":2,' +
      '"__proto__":{"polluted":true},"escaped":"\\u0041\\/\\ud800", "spaced" : [ ] }}',
  );
});

verifies(
  'compat:tolerant:result-shape',
  'a result that does not match its output schema reaches the client unchanged',
  async () => {
    const { connect } = openGateway({ one: fixture('well-behaved') });
    const client = await connect();
    const { tools } = (await client.request('tools/list')).result;
    expect(tools[1]).toMatchObject({ name: 'one__add', outputSchema: { properties: { sum: { type: 'number' } } } });
    expect((await client.call('one__add', { a: 'no number', b: 1 })).result).toEqual({
      content: [{ type: 'text', text: 'NaN' }],
      structuredContent: { sum: null },
    });
  },
);

const RESULTS = [
  '{"content":[{"type":"hologram","data":[1.0,9007199254740993],"_meta":{"x":1}}],"vendor":{"a":1,"a":2}}',
  '{"content":[{"type":"text","text":"\\u0000\\u001b[31m"}],"isError":true,"structuredContent":{"code":-32000}}',
  '{"structuredContent":[1.0,"not what the schema says"],"_meta":{"y":1e400}}',
  '{"content":"not even a list"}',
  '[1.0]',
  '"text"',
  'null',
  'true',
  `{"content":[{"type":"text","text":"${'é'.repeat(40_000)}"}],"n":1.0}`,
];

describe('results of every shape are forwarded unchanged', () => {
  test.each(RESULTS.map((result) => [result.slice(0, 60), result]))('%s', async (_, result) => {
    const { connect } = openGateway({ one: fixture('says-anything') });
    const client = await connect();
    await client.toolNames();
    const forms = [
      `{"jsonrpc":"2.0","id":"$id","result":${result}}`,
      `{"result":${result},"jsonrpc":"2.0","id":"$id"}`,
      `{ "id" : "$id" , "result" : ${result} , "jsonrpc":"2.0"}`,
    ];
    for (const [index, form] of forms.entries()) {
      client.send({
        jsonrpc: '2.0',
        id: `c${index}`,
        method: 'tools/call',
        params: { name: 'one__say', arguments: { lines: [form], answers: false } },
      });
      expect(await client.answer(`c${index}`)).toMatchObject({ id: `c${index}` });
      expect(client.lines.at(-1)).toContain(result);
    }
  });
});

test('definitions are listed as their server wrote them, except for the name', async () => {
  const { connect } = openGateway({ one: fixture('exact-definitions') });
  const client = await connect();
  await client.toolNames();
  await client.request('prompts/list');
  await client.request('resources/list');
  await client.request('resources/templates/list');
  const single = openSingle(fixture('exact-definitions'));
  const direct = await single.connect();
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
    await direct.request(method);
  const lists = client.lines.slice(-4).map(listIn);
  const written = direct.lines.slice(-4).map(listIn);
  expect(lists.slice(0, 2)).toEqual(
    written.slice(0, 2).map((list) => list?.replace('"name":"odd"', '"name":"one__odd"')),
  );
  // Our own resource is at the end.
  expect(lists[2]).toMatch(/,\{"uri":"switchboard:\/\/status"[^{}]*\}$/);
  expect(lists[2]?.replace(/,\{"uri":"switchboard:\/\/status"[^{}]*\}$/, '')).toBe(written[2]);
  expect(lists[3]).toBe(written[3]);
  expect(written[0]).toContain('"vendor":[ 1.0, 9007199254740993, 1e400,"\\u0041\\/" ]');
});

/** The text between the brackets of the list. */
function listIn(line: string): string | undefined {
  return /"result":\{"\w+":\[(.*)\]\}\}$/.exec(line)?.[1];
}
