import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type TestClient } from './harness.ts';
import { receivedParams } from './scripted-lines.ts';

const { openGateway } = gatewayHarness();
const SHARED_OF_TWO = 'switchboard://two/test%3A%2F%2Fshared';

verifies(
  ['gateway:resources:uri-kept', 'gateway:resources:same-uri'],
  'resources and templates are listed under the URIs of their servers, with ours last',
  async () => {
    const { connect } = twoServers();
    const client = await connect();
    expect(await listedUris(client)).toEqual([
      'test://one/listed',
      'test://shared',
      'test://two/listed',
      SHARED_OF_TWO,
      'switchboard://status',
    ]);
    const { result } = await client.request('resources/templates/list');
    expect(result.resourceTemplates).toEqual([
      { uriTemplate: 'test://one/items/{id}', name: 'item' },
      { uriTemplate: 'common://{path}', name: 'common' },
      { uriTemplate: 'test://two/items/{id}', name: 'item' },
    ]);
  },
);

verifies(
  'gateway:resources:same-uri',
  'the first of two servers with the same URI keeps it, and the other is read under a URI of ours',
  async () => {
    const { connect, gateway } = twoServers();
    const client = await connect();
    await listedUris(client);
    expect(await read(client, 'test://shared')).toBe('one has test://shared');
    expect(await read(client, SHARED_OF_TWO)).toBe('two has test://shared');
    expect(gateway.status()[1]?.changes).toEqual([
      { name: 'test://shared', what: `listed as ${SHARED_OF_TWO}: another server has test://shared` },
      { name: 'common://{path}', what: 'not listed: another server has common://{path}' },
    ]);
  },
);

verifies(
  'gateway:resources:route',
  'a URI goes to the server that listed it, else to one with a matching template, else to each until one knows it',
  async () => {
    const { connect } = twoServers();
    const client = await connect();
    await listedUris(client);
    await client.request('resources/templates/list');
    expect(await read(client, 'test://two/listed')).toBe('two has test://two/listed');
    expect(await receivedParams(client, 'one__', 'resources/read')).toEqual([]);
    expect(await read(client, 'test://two/items/7')).toBe('two has test://two/items/7');
    expect(await receivedParams(client, 'one__', 'resources/read')).toEqual([]);
    expect(await read(client, 'test://two/unlisted')).toBe('two has test://two/unlisted');
    expect(await receivedParams(client, 'one__', 'resources/read')).toEqual([{ uri: 'test://two/unlisted' }]);
    expect(await read(client, 'test://one/unlisted')).toBe('one has test://one/unlisted');
    expect(await receivedParams(client, 'two__', 'resources/read')).toHaveLength(3);
  },
);

test('if the templates of two servers match, the second is asked when the first does not have the URI', async () => {
  const { connect } = twoServers();
  const client = await connect();
  await client.request('resources/templates/list');
  expect(await read(client, 'common://two')).toBe('two has common://two');
  expect(await read(client, 'common://one')).toBe('one has common://one');
  expect(await receivedParams(client, 'two__', 'resources/read')).toEqual([{ uri: 'common://two' }]);
});

test('a request that another server answers is not pending any more, and is answered once', async () => {
  const { connect, gateway } = twoServers();
  const client = await connect();
  await listedUris(client);
  expect(await read(client, 'test://two/unlisted')).toBe('two has test://two/unlisted');
  expect(gateway.clients().map(({ isBusy }) => isBusy)).toEqual([false]);
  const answers = client.received.length;
  client.leave();
  expect(client.received.slice(answers)).toEqual([]);
});

test('an unknown URI is not found, with the error of the last server asked', async () => {
  const { connect } = twoServers();
  const client = await connect();
  await listedUris(client);
  const { error } = await client.request('resources/read', { uri: 'nobody://has/it' });
  expect(error).toEqual({
    code: -32002,
    message: 'Server error: Resource not found',
    data: {
      uri: 'nobody://has/it',
      kind: 'server_error',
      retryable: false,
      serverName: 'two',
      original: { code: -32002, message: 'Resource not found' },
    },
  });
});

test('without servers that have resources, a URI is not found and the list contains only ours', async () => {
  const { connect } = openGateway({ one: fixture('well-behaved') });
  const client = await connect();
  expect(await listedUris(client)).toEqual(['switchboard://status']);
  expect((await client.request('resources/templates/list')).result).toEqual({ resourceTemplates: [] });
  expect((await client.request('prompts/list')).result).toEqual({ prompts: [] });
  const { error } = await client.request('resources/read', { uri: 'a:b' });
  expect(error).toEqual({ code: -32002, message: 'Resource not found: a:b', data: { uri: 'a:b' } });
  expect((await client.request('resources/read', {})).error).toEqual({
    code: -32602,
    message: 'resources/read needs params.uri.',
  });
});

test('a URI is read as soon as its server is ready, even if the client did not wait for a list', async () => {
  const { connect } = openGateway({ slow: fixture('slow-start', '150'), two: fixture('offers-everything', 'two') });
  const client = await connect();
  expect(await read(client, 'test://two/items/7')).toBe('two has test://two/items/7');
});

test('no server can impersonate our status or the URI of another server', async () => {
  const uris = ['switchboard://status', 'switchboard://two/test%3A%2F%2Fshared', 'test://shared'];
  const { connect } = openGateway({
    bad: fixture('lists-resources', JSON.stringify(uris)),
    one: fixture('offers-everything', 'one'),
    two: fixture('offers-everything', 'two'),
  });
  const client = await connect();
  expect(await listedUris(client)).toEqual([
    'switchboard://bad/switchboard%3A%2F%2Fstatus',
    'switchboard://bad/switchboard%3A%2F%2Ftwo%2Ftest%253A%252F%252Fshared',
    'test://shared',
    'test://one/listed',
    'switchboard://one/test%3A%2F%2Fshared',
    'test://two/listed',
    SHARED_OF_TWO,
    'switchboard://status',
  ]);
  expect(await read(client, SHARED_OF_TWO)).toBe('two has test://shared');
  expect(JSON.parse(await read(client, 'switchboard://status')).servers).toHaveLength(3);
  expect(await read(client, 'switchboard://bad/switchboard%3A%2F%2Fstatus')).toBe('I have switchboard://status');
});

test('the status describes each server', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything'), dead: { command: '/nowhere/to/be/found' } });
  const client = await connect();
  await client.toolNames();
  await client.request('prompts/list');
  const uris = await listedUris(client);
  expect(uris.at(-1)).toBe('switchboard://status');
  const { servers, problems } = JSON.parse(await read(client, 'switchboard://status'));
  expect(problems).toEqual([]);
  expect(servers).toEqual([
    {
      id: 'one',
      state: 'ready',
      configured: '/test/config.json:1',
      where: expect.stringMatching(/^pid \d+$/),
      protocolVersion: '2025-11-25',
      tools: 5,
      hiddenTools: 0,
      prompts: 1,
      resources: 2,
      changes: [],
      changedTools: [],
      quarantined: [],
      problems: [],
      lastWords: [],
    },
    expect.objectContaining({
      id: 'dead',
      state: expect.stringMatching(/error|connecting/),
      tools: 0,
      hiddenTools: 0,
    }),
  ]);
});

function twoServers() {
  return openGateway({ one: fixture('offers-everything', 'one'), two: fixture('offers-everything', 'two') });
}

async function listedUris(client: TestClient): Promise<string[]> {
  const { result } = await client.request('resources/list');
  return result.resources.map(({ uri }: { uri: string }) => uri);
}

async function read(client: TestClient, uri: string): Promise<string> {
  const { result } = await client.request('resources/read', { uri });
  return result.contents[0].text;
}
