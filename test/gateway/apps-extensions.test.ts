import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { appServer } from './apps-servers.ts';
import { gatewayHarness, type TestClient } from './harness.ts';
import { answerTo, initialized, initializeRequest, list, run, testHomes } from './run-cli.ts';

const { openGateway, processes } = gatewayHarness();
const openHome = testHomes(processes);

verifies('gateway:skills:list', 'the skills of all servers are in one list, with the files of each', async () => {
  const client = await openGateway({
    one: appServer('one'),
    plain: fixture('well-behaved'),
    two: appServer('two'),
  }).connect();
  await client.toolNames();
  const { skills } = (await client.request('skills/list')).result;
  expect(skills).toMatchObject(
    ['one', 'two'].map((id) => ({
      uri: `skill://${id}/refunds/SKILL.md`,
      frontmatter: { name: 'refunds', description: `of ${id}`, uri: 'skill://refunds/SKILL.md' },
      resources: [{ uri: `skill://${id}/refunds/SKILL.md`, size: 1 }],
    })),
  );
  expect((await client.request('skills/list', { cursor: 'x' })).error?.code).toBe(-32602);
});

verifies('gateway:skills:get', 'a skill and its folder are read from the server that has it', async () => {
  const client = await openGateway({ one: appServer('one'), two: appServer('two') }).connect();
  await client.toolNames();
  const uri = 'skill://two/refunds/SKILL.md';
  expect((await client.request('skills/get', { uri })).result.skill).toMatchObject({
    uri,
    frontmatter: { description: 'of two' },
    resources: [{ uri }],
  });
  const folder = await client.request('resources/directory/read', { uri: 'skill://two/refunds' });
  expect(folder.result.resources).toEqual([{ uri, name: 'two' }]);
  expect((await client.request('skills/get', { uri: 'skill://two/none/SKILL.md' })).error?.code).toBe(-32602);
});

test('without prefixes, the first server keeps a skill', async () => {
  const servers = { one: appServer('one'), two: appServer('two') };
  const client = await openGateway(servers, { hasPrefix: false }).connect();
  await client.toolNames();
  const { skills } = (await client.request('skills/list')).result;
  expect(skills).toMatchObject([{ uri: 'skill://refunds/SKILL.md', frontmatter: { description: 'of one' } }]);
});

test('a server that fails to list its skills does not hide those of the others', async () => {
  const client = await openGateway({ bad: appServer('bad'), two: appServer('two') }).connect();
  await client.toolNames();
  expect((await client.request('skills/list')).result.skills).toMatchObject([{ uri: 'skill://two/refunds/SKILL.md' }]);
  const alone = await openGateway({ bad: appServer('bad') }).connect();
  await alone.toolNames();
  expect((await alone.request('skills/list')).error?.message).toContain('no skills today');
});

test('without a server that has skills, the methods are unknown', async () => {
  const client = await openGateway({ one: fixture('offers-everything') }).connect();
  await client.toolNames();
  for (const method of ['skills/list', 'skills/get', 'resources/directory/read'])
    expect((await client.request(method, { uri: 'skill://a/SKILL.md' })).error?.code).toBe(-32601);
});

verifies('gateway:extensions:declared', 'the gateway declares the extensions of its servers', async () => {
  const vendor = { 'com.example/vendor': { level: 2 } };
  const { connect } = openGateway({
    one: appServer('one', { extensions: { ...vendor, 'com.example/both': {} }, solo: { x: 1 } }),
    two: appServer('two', {
      extensions: {
        'com.example/both': {},
        'io.modelcontextprotocol/skills': { directoryRead: true },
        'io.modelcontextprotocol/tasks': {},
      },
    }),
  });
  const first = await connect();
  await first.toolNames();
  const { capabilities } = (await first.initialize()).result;
  expect(capabilities).toMatchObject({
    tools: { listChanged: true },
    solo: { x: 1 },
    tasks: { cancel: {}, requests: { tools: { call: {} } } },
  });
  expect(capabilities.tasks.list).toBeUndefined();
  expect(capabilities.extensions).toEqual({
    ...vendor,
    'io.modelcontextprotocol/skills': { directoryRead: true },
    'io.modelcontextprotocol/tasks': {},
  });
});

verifies(
  'gateway:extensions:unknown',
  'a request of an unknown extension goes to the only server with it',
  async () => {
    const inspect = async (client: TestClient) => {
      await client.toolNames();
      return client.request('vendor/inspect');
    };
    const vendor = { extensions: { 'com.example/vendor': {} } };
    const other = { extensions: { 'com.example/other': {} } };
    const known = { one: appServer('one', other), two: appServer('two', vendor) };
    expect((await inspect(await openGateway(known).connect())).result).toEqual({ by: 'two' });
    const both = { one: appServer('one', vendor), two: appServer('two', vendor) };
    expect((await inspect(await openGateway(both).connect())).error?.code).toBe(-32601);
  },
);

test('instructions refer to skills under the URIs that clients can use', async () => {
  const { connect } = openGateway({ docs: fixture('gives-instructions', 'See skill://refunds/SKILL.md first.') });
  const client = await connect();
  await client.toolNames();
  const { instructions } = (await client.initialize()).result;
  expect(instructions).toContain('docs: See skill://docs/refunds/SKILL.md first.');
});

test('from the second start on, extensions are declared even before the gateway is loaded', async () => {
  const home = openHome();
  const file = home.write('servers.json', { mcpServers: { one: appServer('one') } });
  const start = async () => {
    const options = { env: home.env(), cwd: home.folder, say: [initializeRequest(), initialized, list] };
    return answerTo(await run(['gateway', '--config', file], options), 'hello').result.capabilities.extensions;
  };
  expect(await start()).toBeUndefined();
  for (const _ of ['by the gateway or by what is prepared', 'by what is prepared'])
    expect(Object.keys(await start())).toEqual([
      'io.modelcontextprotocol/ui',
      'io.modelcontextprotocol/tasks',
      'io.modelcontextprotocol/skills',
    ]);
}, 120_000);
