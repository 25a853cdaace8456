import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { appServer } from './apps-servers.ts';
import { gatewayHarness, type TestClient } from './harness.ts';
import { receivedParams } from './scripted-lines.ts';

const { openGateway } = gatewayHarness();
const VIEW = 'ui://app/view.html';

const twoApps = (options = {}) => openGateway({ one: appServer('one'), two: appServer('two') }, options);

verifies('gateway:apps:uris', 'URIs of apps and skills carry the id of their server in all lists', async () => {
  const client = await twoApps().connect();
  expect(await listedUris(client)).toEqual([
    'ui://one/app/view.html',
    'skill://one/refunds/SKILL.md',
    'ui://one/one/named.html',
    'file:///a',
    'ui://two/app/view.html',
    'skill://two/refunds/SKILL.md',
    'ui://two/two/named.html',
    'switchboard://two/file%3A%2F%2F%2Fa',
    'switchboard://status',
  ]);
  const { resourceTemplates } = (await client.request('resources/templates/list')).result;
  expect(resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toEqual([
    'ui://one/app/{id}/page.html',
    'ui://two/app/{id}/page.html',
  ]);
  expect(await metaOf(client, 'two__show')).toEqual({
    ui: { resourceUri: 'ui://two/app/view.html', visibility: ['model', 'app'] },
    'ui/resourceUri': 'ui://two/app/view.html',
  });
});

verifies(
  'gateway:apps:read',
  'each app is read from its own server, listed or not, under the URI of the list',
  async () => {
    const client = await twoApps().connect();
    await listedUris(client);
    await client.request('resources/templates/list');
    for (const id of ['one', 'two']) {
      expect(await read(client, `ui://${id}/app/view.html`)).toEqual({
        uri: `ui://${id}/app/view.html`,
        text: `${id}: ${VIEW}`,
      });
      expect(await read(client, `ui://${id}/app/7/page.html`)).toMatchObject({ text: `${id}: ui://app/7/page.html` });
      expect(await read(client, `ui://${id}/app/unlisted.html`)).toMatchObject({
        text: `${id}: ui://app/unlisted.html`,
      });
      expect(await read(client, `skill://${id}/refunds/SKILL.md`)).toMatchObject({
        uri: `skill://${id}/refunds/SKILL.md`,
      });
    }
    expect(await read(client, 'file:///a')).toEqual({ uri: 'file:///a', text: 'one: file:///a' });
  },
);

test('an app reads a URI of its own server, which may begin with the id of the server', async () => {
  const client = await twoApps().connect();
  await listedUris(client);
  expect(await read(client, 'ui://two/named.html')).toMatchObject({ text: 'two: ui://two/named.html' });
  const { error } = await client.request('resources/read', { uri: VIEW });
  expect(error).toMatchObject({
    code: -32002,
    message: `Several servers have ${VIEW}: one, two. Use one of: ui://one/app/view.html, ui://two/app/view.html`,
  });
  expect((await client.request('resources/read', { uri: 'ui://nobody/x' })).error?.code).toBe(-32002);
  expect((await client.request('resources/read', { uri: 'ui://one/nothing' })).error?.code).toBe(-32602);
});

test('an app reads a URI of its own server without the id if only one server has it', async () => {
  const client = await openGateway({ plain: fixture('offers-everything'), app: appServer('app') }).connect();
  await listedUris(client);
  expect(await read(client, VIEW)).toEqual({ uri: 'ui://app/app/view.html', text: `app: ${VIEW}` });
});

verifies('gateway:apps:results', 'results name apps under the URIs of the list, and nothing else changes', async () => {
  const client = await twoApps().connect();
  await client.toolNames();
  await listedUris(client);
  expect((await client.call('two__show', { uri: VIEW })).result).toEqual({
    content: [
      { type: 'text', text: `two shows ${VIEW}` },
      { type: 'resource_link', uri: 'ui://two/app/view.html', name: 'view' },
      { type: 'resource', resource: { uri: 'ui://two/app/view.html', text: VIEW } },
    ],
    structuredContent: { uri: VIEW, args: { uri: VIEW } },
    _meta: { ui: { resourceUri: 'ui://two/app/view.html' } },
  });
  const { messages } = (await client.request('prompts/get', { name: 'one__open' })).result;
  expect(messages[0].content.resource.uri).toBe('skill://one/refunds/SKILL.md');
});

verifies('gateway:apps:updates', 'updates of a subscribed app carry its listed URI', async () => {
  const client = await twoApps().connect();
  await listedUris(client);
  const updated = () => client.notifications('notifications/resources/updated').map(({ params }) => params?.['uri']);
  expect((await client.request('resources/subscribe', { uri: 'ui://two/app/view.html' })).result).toEqual({});
  await client.call('one__touch', { uri: VIEW });
  await client.call('two__touch', { uri: VIEW });
  await client.call('two__touch', { uri: `${VIEW}/part` });
  expect(updated()).toEqual(['ui://two/app/view.html', 'ui://two/app/view.html/part']);
  await client.request('resources/unsubscribe', { uri: 'ui://two/app/view.html' });
  await client.call('two__touch', { uri: VIEW });
  expect(updated()).toHaveLength(2);
  expect(await receivedParams(client, 'two__', 'resources/unsubscribe')).toEqual([{ uri: VIEW }]);
});

verifies('gateway:apps:plain', 'without prefixes, URIs stay the same, and the first server has them', async () => {
  const client = await twoApps({ hasPrefix: false }).connect();
  expect((await listedUris(client)).slice(0, 2)).toEqual([VIEW, 'skill://refunds/SKILL.md']);
  expect(await metaOf(client, 'show')).toMatchObject({ ui: { resourceUri: VIEW } });
  expect(await read(client, VIEW)).toEqual({ uri: VIEW, text: `one: ${VIEW}` });
  expect((await client.call('show')).result._meta).toEqual({ ui: { resourceUri: VIEW } });
});

test('a client that sees one server under its own names sees its URIs too', async () => {
  const { connect, gateway } = twoApps();
  const client = await connect({}, gateway.openView({ server: 'two' }));
  expect(await listedUris(client)).toContain(VIEW);
  expect(await read(client, VIEW)).toEqual({ uri: VIEW, text: `two: ${VIEW}` });
  expect((await client.call('show')).result._meta).toEqual({ ui: { resourceUri: VIEW } });
});

verifies(
  'gateway:apps:tools',
  "an app calls a tool by the server's own name if one server with apps has it",
  async () => {
    const client = await openGateway({
      one: appServer('one'),
      two: appServer('two'),
      plain: fixture('well-behaved'),
    }).connect();
    await client.toolNames();
    await listedUris(client);
    expect((await client.call('only-two')).result.content).toEqual([{ type: 'text', text: 'two alone' }]);
    expect((await client.call('refresh')).error).toMatchObject({
      message: 'Several servers with apps have a tool refresh: one, two. Call one of: one__refresh, two__refresh',
      data: { kind: 'tool_error', retryable: false, original: { servers: ['one', 'two'] } },
    });
    // Its server has no apps.
    expect((await client.call('echo', { text: 'x' })).error?.message).toContain('Unknown tool: echo.');
  },
);

test('a tool of an app that the view hides is not called by its own name either', async () => {
  const views = { some: { tools: { deny: ['one.refresh', 'two.only-two'] } } };
  const { connect, gateway } = twoApps({ views });
  const client = await connect({}, gateway.openView({ view: 'some' }));
  await client.toolNames();
  await listedUris(client);
  expect((await client.call('refresh')).result.content).toEqual([{ type: 'text', text: 'two refreshed' }]);
  expect((await client.call('only-two')).error?.message).toContain('only-two');
});

test('completion goes to the server of the template', async () => {
  const client = await twoApps().connect();
  await client.request('resources/templates/list');
  const ref = { type: 'ref/resource', uri: 'ui://two/app/{id}/page.html' };
  const { result } = await client.request('completion/complete', { ref, argument: { name: 'id', value: '' } });
  expect(result.completion.values).toEqual(['two', 'ui://app/{id}/page.html']);
});

async function listedUris(client: TestClient): Promise<string[]> {
  const { result } = await client.request('resources/list');
  return result.resources.map(({ uri }: { uri: string }) => uri);
}

async function read(client: TestClient, uri: string): Promise<unknown> {
  const { result, error } = await client.request('resources/read', { uri });
  return error ?? result.contents[0];
}

async function metaOf(client: TestClient, tool: string): Promise<unknown> {
  const { result } = await client.request('tools/list');
  return result.tools.find(({ name }: { name: string }) => name === tool)._meta;
}
