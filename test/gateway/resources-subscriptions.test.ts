import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type TestClient } from './harness.ts';
import { receivedParams } from './scripted-lines.ts';

const { openGateway, openSingle } = gatewayHarness();
const SHARED_OF_TWO = 'switchboard://two/test%3A%2F%2Fshared';

test('a change is sent to a subscriber until it unsubscribes', async () => {
  const client = await twoServers();
  await touch(client, 'one', 'test://one/listed');
  expect(updates(client)).toEqual([]);
  expect(await client.request('resources/subscribe', { uri: 'test://one/listed' })).toMatchObject({ result: {} });
  await touch(client, 'one', 'test://one/listed');
  await touch(client, 'one', 'test://shared');
  expect(updates(client)).toEqual([{ uri: 'test://one/listed' }]);
  expect(await client.request('resources/unsubscribe', { uri: 'test://one/listed' })).toMatchObject({ result: {} });
  await touch(client, 'one', 'test://one/listed');
  expect(updates(client)).toEqual([{ uri: 'test://one/listed' }]);
  expect(await receivedParams(client, 'one__', 'resources/subscribe')).toEqual([{ uri: 'test://one/listed' }]);
  expect(await receivedParams(client, 'one__', 'resources/unsubscribe')).toEqual([{ uri: 'test://one/listed' }]);
  expect(await receivedParams(client, 'two__', 'resources/subscribe')).toEqual([]);
});

verifies(
  'gateway:resources:route',
  'a subscription goes to the server that listed the URI, else to one with a matching template, else to each until one knows it',
  async () => {
    const client = await twoServers();
    await client.request('resources/templates/list');
    const uris = ['test://two/listed', 'test://two/items/7', 'test://two/unlisted'];
    for (const uri of uris) expect(await client.request('resources/subscribe', { uri })).toMatchObject({ result: {} });
    expect(await receivedParams(client, 'one__', 'resources/subscribe')).toEqual([{ uri: 'test://two/unlisted' }]);
    expect(await receivedParams(client, 'two__', 'resources/subscribe')).toEqual(uris.map((uri) => ({ uri })));
  },
);

test('a resource under a URI of ours is subscribed and reported under that URI', async () => {
  const client = await twoServers();
  await client.request('resources/subscribe', { uri: SHARED_OF_TWO });
  await touch(client, 'one', 'test://shared');
  expect(updates(client)).toEqual([]);
  await touch(client, 'two', 'test://shared', { title: 'kept', n: 1.5 });
  expect(updates(client)).toEqual([{ uri: SHARED_OF_TWO, title: 'kept', n: 1.5 }]);
  await client.request('resources/unsubscribe', { uri: SHARED_OF_TWO });
  expect(await receivedParams(client, 'two__', 'resources/unsubscribe')).toEqual([{ uri: 'test://shared' }]);
});

test('a change below a subscribed resource is reported under its own URI', async () => {
  const client = await twoServers();
  await client.request('resources/subscribe', { uri: 'test://one/listed' });
  await touch(client, 'one', 'test://one/listed/below');
  await touch(client, 'two', 'test://one/listed');
  expect(updates(client)).toEqual([{ uri: 'test://one/listed/below' }]);
});

test('an unlisted resource is subscribed at the server that has it', async () => {
  const client = await twoServers();
  expect(await client.request('resources/subscribe', { uri: 'test://two/unlisted' })).toMatchObject({ result: {} });
  await touch(client, 'two', 'test://two/unlisted');
  expect(updates(client)).toEqual([{ uri: 'test://two/unlisted' }]);
  expect((await client.request('resources/subscribe', { uri: 'nobody://has/it' })).error).toMatchObject({
    code: -32002,
  });
});

test('a restarted server gets exactly the current subscriptions', async () => {
  const client = await twoServers();
  for (const uri of ['test://one/listed', 'test://shared', 'test://one/unlisted', SHARED_OF_TWO]) {
    await client.request('resources/subscribe', { uri });
  }
  await client.request('resources/unsubscribe', { uri: 'test://shared' });
  await client.call('one__die');
  await touch(client, 'one', 'test://one/listed');
  expect(updates(client)).toEqual([{ uri: 'test://one/listed' }]);
  expect(await receivedParams(client, 'one__', 'resources/subscribe')).toEqual([
    { uri: 'test://one/listed' },
    { uri: 'test://one/unlisted' },
  ]);
});

test('with a single command, a restarted server gets the current subscriptions too', async () => {
  const client = await openSingle(fixture('offers-everything')).connect();
  for (const uri of ['test://one/listed', 'test://shared']) await client.request('resources/subscribe', { uri });
  await client.request('resources/unsubscribe', { uri: 'test://shared' });
  await client.call('die');
  await client.call('touch', { uri: 'test://one/listed' });
  expect(updates(client)).toEqual([{ uri: 'test://one/listed' }]);
  expect(await receivedParams(client, '', 'resources/subscribe')).toEqual([{ uri: 'test://one/listed' }]);
});

async function twoServers(): Promise<TestClient> {
  const { connect } = openGateway({
    one: fixture('offers-everything', 'one'),
    two: fixture('offers-everything', 'two'),
  });
  const client = await connect();
  await client.request('resources/list');
  return client;
}

async function touch(client: TestClient, server: string, uri: string, more = {}): Promise<void> {
  expect((await client.call(`${server}__touch`, { uri, ...more })).result.content[0].text).toBe('told');
}

function updates(client: TestClient): unknown[] {
  return client.notifications('notifications/resources/updated').map(({ params }) => params);
}
