import { expect, test } from 'vitest';
import { hash8 } from '../../src/base/text/names.ts';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import {
  type GatewayTestOptions,
  gatewayHarness,
  type TestClient,
  type TestGateway,
  type TestServer,
} from './harness.ts';

const harness = gatewayHarness();

verifies(
  [
    'gateway:names:qualified',
    'gateway:aggregate:one-endpoint',
    'gateway:list:merge',
    'gateway:call:route',
    'gateway:call:raw-name',
  ],
  'a tool is listed as server__tool and called at its server by its own name',
  async () => {
    const { connect } = openGateway({ serena: has('list_dir', 'read-file'), other: has('list_dir') });
    const client = await connect();
    expect(await client.toolNames()).toEqual(['serena__list_dir', 'serena__read-file', 'other__list_dir']);
    expect(await answers(client)).toEqual({
      serena__list_dir: 'serena has list_dir',
      'serena__read-file': 'serena has read-file',
      other__list_dir: 'other has list_dir',
    });
  },
);

verifies(
  'gateway:names:prompts',
  'prompts follow the same naming rule, and are requested by their own name',
  async () => {
    const { connect } = openGateway({ one: has('greet', 'a b'), two: has('greet') });
    const client = await connect();
    const { result } = await client.request('prompts/list');
    const names: string[] = result.prompts.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['one__greet', 'one__a_b', 'two__greet']);
    expect(names).toEqual(await client.toolNames());
    const got = await Promise.all(
      names.map((name) => client.request('prompts/get', { name, arguments: { who: 'x' } })),
    );
    expect(got.map((answer) => answer.result.description)).toEqual(['one has greet', 'one has a b', 'two has greet']);
    expect((await client.request('prompts/get', { name: 'greet' })).error).toEqual({
      code: -32602,
      message: 'Unknown prompt: greet.',
    });
  },
);

verifies(
  ['gateway:names:clean', 'gateway:names:unique', 'gateway:names:hash', 'gateway:call:raw-name'],
  'names that clash, are too long or have disallowed characters each lead to their own tool',
  async () => {
    const long = 'n'.repeat(100);
    const raws = [
      'a-b',
      'a_b',
      'A_B',
      'a b',
      'größe',
      '日本',
      '🙂',
      long,
      `${long}!`,
      '__proto__',
      'constructor',
      'x"y\\z',
    ];
    const { connect } = openGateway({ one: has(...raws) });
    const client = await connect();
    const names = await client.toolNames();
    expect(names).toHaveLength(raws.length);
    for (const name of names) expect(name).toMatch(/^one__[A-Za-z0-9_-]{1,59}$/);
    expect(new Set(names.map((name) => name.toLowerCase().replaceAll('-', '_'))).size).toBe(raws.length);
    const replies = await answers(client);
    expect(Object.values(replies)).toEqual(raws.map((raw) => `one has ${raw}`));
    expect(names[0]).toBe(`one__a-b_${hash8('one', 'a-b')}`);
    expect(names[raws.indexOf(long)]).toBe(`one__${'n'.repeat(50)}_${hash8('one', long)}`);
  },
);

verifies(
  ['gateway:names:split', 'gateway:names:hash', 'gateway:call:route'],
  'the server name ends at the first __, whatever the tool is called',
  async () => {
    const { connect } = openGateway({
      a: has('b__read', 'read'),
      a__b: has('read'),
      b: has('a__read'),
      c_: has('read'),
    });
    const client = await connect();
    const names = await client.toolNames();
    expect(names).toEqual([
      'a__b__read',
      'a__read',
      `a_b__read_${hash8('a__b', 'read')}`,
      'b__a__read',
      `c__read_${hash8('c_', 'read')}`,
    ]);
    expect(Object.values(await answers(client))).toEqual([
      'a has b__read',
      'a has read',
      'a__b has read',
      'b has a__read',
      'c_ has read',
    ]);
  },
);

test('a server cannot take a name of another, whatever its tools are called and whichever comes first', async () => {
  const stolen = ['read', 'good__read', `good__read_${hash8('good', 'read')}`, `read_${hash8('good', 'read')}`];
  for (const servers of [
    { bad: has(...stolen), good: has('read', 'a-b', 'a_b') },
    { good: has('read', 'a-b', 'a_b'), bad: has(...stolen) },
  ]) {
    const { connect } = openGateway(servers);
    const client = await connect();
    const replies = await answers(client);
    const ofGood = Object.entries(replies).filter(([name]) => name.startsWith('good__'));
    expect(ofGood.map(([, text]) => text)).toEqual(['good has read', 'good has a-b', 'good has a_b']);
    expect(Object.values(replies).filter((text) => text.startsWith('bad'))).toEqual(
      stolen.map((name) => `bad has ${name}`),
    );
  }
});

verifies('gateway:names:independent', 'a name does not depend on other servers or their order', async () => {
  const alone = await namesOf({ one: has('a', 'a-b', 'a_b') });
  const together = await namesOf({
    two: has('a', 'one__a', 'a-b'),
    slow: fixture('slow-start', '100'),
    one: has('a_b', 'a', 'a-b'),
  });
  expect(together.filter((name) => name.startsWith('one__')).sort()).toEqual(alone.sort());
});

verifies('gateway:list:order', 'tools are listed in config order, whichever server responds first', async () => {
  const { connect } = openGateway({ slow: fixture('slow-start', '200'), quick: has('z', 'a') });
  const client = await connect();
  expect(await client.toolNames()).toEqual(['slow__echo', 'quick__z', 'quick__a']);
});

verifies(
  'gateway:names:prefix-off',
  'without a prefix, names are unchanged, the first server keeps a shared name, and the hidden tool is reported',
  async () => {
    const { connect, gateway } = openGateway(
      { one: has('read', 'a b', 'a-b'), two: has('read', 'a_b') },
      { hasPrefix: false },
    );
    const client = await connect();
    expect(await answers(client)).toEqual({
      read: 'one has read',
      'a b': 'one has a b',
      'a-b': 'one has a-b',
      a_b: 'two has a_b',
    });
    expect(gateway.status()[1]?.changes).toContainEqual({ name: 'read', what: 'not listed: another server has read' });
  },
);

test('a call before its server has listed its tools waits for it, whatever the characters of its id', async () => {
  const servers = { 'my server': has('read'), a__b: has('read'), [`${'long-'.repeat(12)}id`]: has('read') };
  const names = await namesOf(servers);
  for (const [index, name] of names.entries()) {
    const { connect } = openGateway(servers);
    const client = await connect();
    const { result } = await client.call(name);
    expect(result.content[0].text).toBe(`${Object.keys(servers)[index]} has read`);
  }
});

test('without a prefix, an early call waits until a server lists the tool', async () => {
  const { connect } = openGateway(
    { one: has('first'), slow: fixture('slow-start', '150'), dead: { command: '/nowhere/to/be/found' } },
    { hasPrefix: false },
  );
  const client = await connect();
  const early = client.call('echo', { text: 'early' });
  const unknown = client.call('ecko');
  expect((await early).result.content[0].text).toBe('early');
  expect((await unknown).error).toMatchObject({ code: -32602, data: { kind: 'tool_error', toolName: 'ecko' } });
});

verifies('gateway:names:single', 'with a single server, all names are unchanged', async () => {
  const raws = ['a b', 'a-b', 'a_b', 'größe', 'n'.repeat(100), 'x__y'];
  const client = await harness.openSingle(has(...raws)).connect();
  expect(await client.toolNames()).toEqual(raws);
  expect(Object.values(await answers(client))).toEqual(raws.map((raw) => `me has ${raw}`));
});

test('tools that the config denies or does not allow are neither listed nor callable', async () => {
  const { connect, gateway } = openGateway({
    one: { ...has('a', 'b', 'c'), tools: { allow: ['a', 'b'], deny: ['b'] } },
  });
  const client = await connect();
  expect(await client.toolNames()).toEqual(['one__a']);
  for (const name of ['one__b', 'one__c']) {
    expect((await client.call(name)).error).toMatchObject({ code: -32602, data: { kind: 'tool_error' } });
  }
  expect(gateway.status()[0]?.changes).toEqual([
    { name: 'b', what: 'hidden: the config denies it' },
    { name: 'c', what: 'hidden: the config does not allow it' },
  ]);
});

test('a name is read exactly as JSON defines it, and ambiguous names match no other tool', async () => {
  const { connect } = openGateway({ one: has('read', 'write') });
  const client = await connect();
  await client.toolNames();
  const call = async (id: string, params: string) => {
    client.sendLine(`{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{${params}}}`);
    const { result, error } = await client.answer(id);
    return result?.content[0].text ?? error?.code;
  };
  expect(await call('escaped', '"n\\u0061me":"one__\\u0072ead"')).toBe('one has read');
  expect(await call('twice', '"name":"one__read","name":"one__write"')).toBe('one has write');
  expect(await call('case', '"name":"one__read","NAME":"one__write"')).toBe(-32600);
});

verifies(
  'config:dialect:foreign-names',
  'a server whose name is not an id gets a cleaned prefix, which is reported',
  async () => {
    const { connect, gateway } = openGateway({ 'my server.v2': has('read') });
    const client = await connect();
    const name = `my_server_v2__read_${hash8('my server.v2', 'read')}`;
    expect(await answers(client)).toEqual({ [name]: 'my server.v2 has read' });
    expect(gateway.status()[0]?.changes).toContainEqual({
      name: 'read',
      what: `listed as ${name}: the id of the server has characters that are not allowed`,
    });
  },
);

test('renamed tools are reported with the reason', async () => {
  const long = 'n'.repeat(70);
  const { connect, gateway } = openGateway({ one: has('plain', 'a b', long) });
  const client = await connect();
  await client.toolNames();
  await client.request('prompts/list');
  const renamed = [
    { name: 'a b', what: 'listed as one__a_b: its own name has characters that are not allowed' },
    {
      name: long,
      what: expect.stringMatching(/^listed as one__n{50}_[0-9a-f]{8}: it would be 11 characters too long$/),
    },
  ];
  // First the tools, then the prompts.
  expect(gateway.status()[0]?.changes).toEqual([...renamed, ...renamed]);
});

/** A server with tools and prompts of these names. */
function has(...names: string[]): { command: string; args: string[] } {
  return fixture('has-names', 'me', JSON.stringify(names));
}

/** Each server returns its id. */
function openGateway(servers: Record<string, TestServer>, options?: GatewayTestOptions): TestGateway {
  const labeled = Object.entries(servers).map(([id, { args = [], ...server }]) => [
    id,
    { ...server, args: args.map((arg) => (arg === 'me' ? id : arg)) },
  ]);
  return harness.openGateway(Object.fromEntries(labeled), options);
}

async function namesOf(servers: Record<string, TestServer>): Promise<string[]> {
  const { connect } = openGateway(servers);
  return (await connect()).toolNames();
}

/** Every listed tool, with the result of its call. */
async function answers(client: TestClient): Promise<Record<string, string>> {
  const replies: Record<string, string> = {};
  for (const name of await client.toolNames()) replies[name] = (await client.call(name)).result.content[0].text;
  return replies;
}
