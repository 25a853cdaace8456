import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type InitializeOptions, type TestClient } from './harness.ts';

/** Valid JSON that the peer may be unable to parse: nested too deeply, or with a lone surrogate. */
const { openGateway, openSingle } = gatewayHarness();

const CODEX: InitializeOptions = {
  clientInfo: { name: 'codex-mcp-client', version: '0.166.0' },
  capabilities: { elicitation: {}, sampling: {} },
};
const OTHER: InitializeOptions = { ...CODEX, clientInfo: { name: 'other', version: '1' } };
const CLIENTS = [
  ['Codex', CODEX, 127],
  ['another client', OTHER, 10_000],
] as const;

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const question = (levels: number) =>
  `{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{"message":"?","x":${nested(levels - 2)}}}`;
const log = (levels: number) =>
  `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":${nested(levels - 2)}}}`;
const progress = (levels: number) =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"$token","x":${nested(levels - 2)}}}`;
const other = (levels: number) =>
  `{"jsonrpc":"2.0","method":"notifications/other","params":{"x":${nested(levels - 2)}}}`;

async function open(hello: InitializeOptions) {
  const { connect } = openGateway({ bad: fixture('says-anything') });
  const client = await connect(hello);
  await client.toolNames();
  const say = (lines: readonly string[], answers = true) =>
    client.call('bad__say', { lines, answers }, { _meta: { progressToken: 'p' } });
  return { client, say };
}

/** The response that the server got to its own request 77. */
async function answerToServer(client: TestClient, tool = 'bad__heard'): Promise<unknown> {
  for (let asked = 0; asked < 100; asked++) {
    const { result } = await client.call(tool);
    const lines: string[] = JSON.parse(result.content[0].text);
    const answer = lines.map((line) => JSON.parse(line)).find((message) => message.id === 77 && !message.method);
    if (answer !== undefined) return answer;
  }
  throw new Error('the server has got no answer');
}

describe.each(CLIENTS)('to %s', (_, hello, limit) => {
  test('server notifications pass up to the limit, and deeper ones are dropped', async () => {
    const { client, say } = await open(hello);
    await say([log(limit), progress(limit), other(limit), log(limit + 1), progress(limit + 1), other(limit + 1)]);
    const methods = client.received.filter(({ id }) => id === undefined).map(({ method }) => method);
    expect(methods.filter((method) => method !== 'notifications/tools/list_changed').toSorted()).toEqual([
      'notifications/message',
      'notifications/other',
      'notifications/progress',
    ]);
  });

  test('a server request at the limit passes', async () => {
    const { client, say } = await open(hello);
    client.onRequest = () => ({ result: { action: 'decline' } });
    await say([question(limit)]);
    expect(await answerToServer(client)).toMatchObject({ result: { action: 'decline' } });
  });

  test('a server request beyond the limit gets an error', async () => {
    const { client, say } = await open(hello);
    await say([question(limit + 1)]);
    expect(await answerToServer(client)).toMatchObject({
      error: { code: -32600, message: 'This request is nested too deeply for the client.' },
    });
    expect(client.received.filter(({ method }) => method === 'elicitation/create')).toEqual([]);
  });

  test.each([
    ['data', -32000, (deep: string) => `"data":${deep}`],
    ['extra members', -32000, (deep: string) => `"more":${deep}`],
    ['data, under a code that passes unchanged', -32042, (deep: string) => `"data":${deep}`],
  ])('an error with deep %s arrives without it', async (_what, code, member) => {
    const { client, say } = await open(hello);
    const error = `{"code":${code},"message":"deep",${member(nested(limit))}}`;
    const sent = await say([`{"jsonrpc":"2.0","id":"$id","error":${error}}`], false);
    expect(JSON.stringify(sent)).toContain('deep');
    expect(JSON.stringify(sent)).not.toContain('[[[');
    expect((await client.call('bad__say', { lines: [] })).result).toBeDefined();
  });
});

describe('from a client', () => {
  const call = (levels: number, id: number) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"heard","arguments":{"x":${nested(levels - 3)}}}}`;

  test('arguments with 10 000 levels reach the server, and deeper ones get an error', async () => {
    const client = await openSingle(fixture('says-anything')).connect();
    client.send(call(10_000, 50));
    expect((await client.answer(50)).result.content[0].text).toContain(nested(9_997));
    for (const [id, levels] of [10_001, 10_002, 200_000, 1_000_000].entries()) {
      client.send(call(levels, 100 + id));
      expect((await client.answer(100 + id)).error?.message).toMatch(/nested (deeper|too deep)/);
    }
    client.send(`[${call(10_001, 200)},${call(5, 201)}]`);
    expect(await client.answer(200)).toMatchObject({
      error: { code: -32600, message: 'tools/call: the request is nested deeper than 10000 levels.' },
    });
    expect((await client.answer(201)).result).toBeDefined();
  });

  test('any other request that is nested too deep gets an error', async () => {
    const client = await openSingle(fixture('says-anything')).connect();
    client.send(`{"jsonrpc":"2.0","id":60,"method":"any/thing","params":{"x":${nested(9_999)}}}`);
    expect(await client.answer(60)).toMatchObject({
      error: { code: -32600, message: 'any/thing: the request is nested deeper than 10000 levels.' },
    });
  });

  test('a notification that is nested too deep does not reach the server', async () => {
    const client = await openSingle(fixture('says-anything')).connect();
    const tell = (name: string, levels: number) =>
      client.send(`{"jsonrpc":"2.0","method":"notifications/${name}","params":{"x":${nested(levels - 2)}}}`);
    tell('deeper', 10_001);
    tell('deep', 10_000);
    const { result } = await client.call('heard');
    expect(result.content[0].text).toContain('notifications/deep\\"');
    expect(result.content[0].text).not.toContain('notifications/deeper');
  });

  test.each([
    ['a result', `"result":{"x":${nested(9_999)}}`],
    ['an error', `"error":{"code":-1,"message":"no","data":${nested(9_999)}}`],
  ])('%s that is nested too deep becomes an error for the requesting server', async (_, member) => {
    const { client, say } = await open(OTHER);
    await say([question(5)]);
    const { id } = await client.waitFor(({ method }) => method === 'elicitation/create');
    client.send(`{"jsonrpc":"2.0","id":${id},${member}}`);
    expect(await answerToServer(client)).toMatchObject({
      error: { message: 'elicitation/create: the answer is nested deeper than 10000 levels.' },
    });
  });
});

describe('a lone surrogate', () => {
  const HALF = '\\ud800 \\ud83d\\ude00';
  const LINES = [
    `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${HALF}"}}`,
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"$token","message":"${HALF}"}}`,
    `{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{"message":"${HALF}"}}`,
    `{"jsonrpc":"2.0","id":"$id","result":{"content":[],"structuredContent":{"${HALF}":"${HALF}"}}}`,
  ];
  const matchingLines = (client: TestClient) => client.lines.filter((line) => line.includes('\\ude00'));

  test.each([
    ['Codex gets U+FFFD instead of', CODEX, '\ufffd \\ud83d\\ude00'],
    ['another client gets', OTHER, HALF],
  ])('%s it, in notifications, server requests and results', async (_, hello, expected) => {
    const { client, say } = await open(hello);
    await say(LINES, false);
    expect(matchingLines(client)).toHaveLength(4);
    for (const line of matchingLines(client)) expect(line).toContain(`"${expected}"`);
    const failed = await say(['{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"half \\ud800"}}'], false);
    expect(JSON.stringify(failed).includes('\ufffd')).toBe(hello === CODEX);
  });
});
