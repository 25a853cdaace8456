import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type Message } from './harness.ts';
import { lines, receivedParams } from './scripted-lines.ts';

const { openGateway } = gatewayHarness();
const CHANGED = 'notifications/tools/list_changed';

test('a list waits for servers that are starting', async () => {
  const { connect } = openGateway({
    one: fixture('slow-start', '200'),
    two: fixture('slow-start', '150'),
    three: fixture('slow-start', '100'),
  });
  expect(await (await connect()).toolNames()).toEqual(['one__echo', 'two__echo', 'three__echo']);
});

verifies(
  'gateway:list:parallel',
  'servers are queried in parallel: one responds while others are pending',
  async () => {
    const { connect, gateway } = openGateway(
      { first: fixture('hangs-at-list'), well: fixture('well-behaved'), last: fixture('hangs-at-list') },
      { settings: { listTimeoutMs: 60_000 } },
    );
    const client = await connect();
    client.send({ jsonrpc: '2.0', id: 'list', method: 'tools/list' });
    await expect
      .poll(() => gateway.status().map(({ id, state, tools }) => [id, state, tools]))
      .toEqual([
        ['first', 'ready', 0],
        ['well', 'ready', 3],
        ['last', 'ready', 0],
      ]);
    expect(client.received.filter(({ id }) => id === 'list')).toEqual([]);
  },
);

verifies(
  'gateway:list:skip-slow',
  'slow servers are left out, and list_changed follows when they are ready',
  async () => {
    const { connect } = openGateway(
      { quick: fixture('well-behaved'), slow: fixture('slow-start', '6000'), hung: fixture('hangs-at-initialize') },
      { settings: { listTimeoutMs: 200 } },
    );
    const client = await connect();
    // From here on, the fast server is ready, even on a busy machine.
    await client.call('quick__echo', { text: 'there' });
    expect(await client.toolNames()).toEqual(['quick__echo', 'quick__add', 'quick__slow']);
    await client.waitFor(({ method }) => method === CHANGED);
    expect(await client.toolNames()).toEqual(['quick__echo', 'quick__add', 'quick__slow', 'slow__echo']);
    expect(client.notifications(CHANGED)).toEqual([{ jsonrpc: '2.0', method: CHANGED }]);
  },
);

verifies(
  'gateway:list:skip-slow',
  'a server that hangs on its list delays the others only up to the limit',
  async () => {
    const { connect } = openGateway(
      { hung: fixture('hangs-at-list'), well: fixture('dies-mid-call') },
      { settings: { listTimeoutMs: 300 } },
    );
    const client = await connect();
    expect((await client.call('well__echo', { text: 'hi' })).result.content[0].text).toBe('hi');
    expect(await client.toolNames()).toEqual(['well__echo', 'well__die']);
  },
);

test('a server that cannot start is not waited for', async () => {
  const { connect } = openGateway(
    { gone: { command: 'no-such-command-anywhere' }, well: fixture('dies-mid-call') },
    { settings: { listTimeoutMs: 60_000 } },
  );
  expect(await (await connect()).toolNames()).toEqual(['well__echo', 'well__die']);
});

test('a list change is forwarded, and the new tool can be called', async () => {
  const { connect } = openGateway({ one: fixture('changes-its-list'), two: fixture('well-behaved') });
  const client = await connect();
  expect(await client.toolNames()).toContain('one__grow');
  await client.call('one__grow');
  await client.waitFor(({ method }) => method === CHANGED);
  expect(await client.toolNames()).toContain('one__grown-1');
  expect((await client.call('one__grown-1')).result.content[0].text).toBe('I am grown-1');
});

test('a flood of change notifications is one change, or none if nothing changed', async () => {
  const { connect } = openGateway({ one: fixture('floods-list-changed', '3000'), two: fixture('changes-its-list') });
  const client = await connect();
  await client.toolNames();
  // Sent together, because changes far apart are reported separately.
  await Promise.all(Array.from({ length: 5 }, () => client.call('two__grow')));
  await client.waitFor(({ method }) => method === CHANGED);
  await expect.poll(async () => (await client.toolNames()).length).toBe(7);
  expect(client.notifications(CHANGED).length).toBeLessThanOrEqual(3);
});

test('announced changes without a difference are not forwarded', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  await client.request('prompts/list');
  await client.request('resources/list');
  await client.call(
    'one__say',
    lines(...['tools', 'prompts', 'resources'].map((kind) => ({ method: `notifications/${kind}/list_changed` }))),
  );
  await expect.poll(() => receivedParams(client, 'one__', 'tools/list')).toHaveLength(2);
  await later();
  expect(client.received.filter(({ method }) => method !== undefined)).toEqual([]);
});

test('a client that never requested a list is not notified of its changes', async () => {
  const { connect } = openGateway({ one: fixture('changes-its-list') });
  const client = await connect();
  await client.call('one__grow');
  await expect.poll(async () => (await client.call('one__grown-1')).result !== undefined).toBe(true);
  await later();
  expect(client.notifications(CHANGED)).toEqual([]);
});

test('a crashed server keeps its tools listed, and a restart with the same tools is not announced', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything') });
  const client = await connect();
  const before = await client.toolNames();
  await client.call('one__die');
  expect(await client.toolNames()).toEqual(before);
  await client.call('one__heard');
  await later();
  expect(client.notifications(CHANGED)).toEqual([]);
});

test('all pages of a server are merged into one list', async () => {
  const { connect } = openGateway({ one: fixture('pages-its-list', '7') });
  const client = await connect();
  const { result } = await client.request('tools/list');
  expect(result.nextCursor).toBeUndefined();
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(
    Array.from({ length: 14 }, (_, index) => `one__tool-${index + 1}`),
  );
});

test.each([
  [['5', '--loop'], 12, 'tools/list: the server sent a cursor that points back to itself'],
  [['--endless'], 2000, 'tools/list: the server sent more than 1000 pages'],
])('an endless list (%j) is truncated, and that is reported', async (options, count, problem) => {
  const { connect, gateway } = openGateway({ one: fixture('pages-its-list', ...options) });
  const client = await connect();
  // A list this long may arrive after the first list of the client has been answered.
  await expect.poll(() => client.toolNames(), { timeout: 30_000 }).toContain('one__tool-10');
  expect((await client.toolNames()).length).toBeLessThanOrEqual(count);
  expect(gateway.status()[0]?.problems).toEqual([problem]);
});

test('a list over 8 MiB is paginated, every server is on the first page, and cursors stay valid for one more version', async () => {
  const { connect } = openGateway({
    big: fixture('has-large-tools', '20', '1000000'),
    one: fixture('changes-its-list'),
  });
  const client = await connect();
  const first = await client.request('tools/list');
  const namesOf = ({ result }: Message): string[] => result.tools.map(({ name }: { name: string }) => name);
  expect(namesOf(first)).toContain('one__grow');
  expect(client.lines.at(-1)?.length).toBeLessThanOrEqual(8 * 1024 * 1024 + 100);
  const second = await client.request('tools/list', { cursor: first.result.nextCursor });
  const third = await client.request('tools/list', { cursor: second.result.nextCursor });
  expect(third.result.nextCursor).toBeUndefined();
  const names = [first, second, third].flatMap(namesOf);
  const large = Array.from({ length: 20 }, (_, index) => `big__large-${index}`);
  expect(names.filter((name) => name !== 'one__grow')).toEqual(large);
  expect(names).toHaveLength(21);

  expect((await client.request('prompts/list', { cursor: first.result.nextCursor })).error).toEqual({
    code: -32602,
    message: 'params.cursor was not returned by this list.',
  });
  expect((await client.request('tools/list', { cursor: 'made up' })).error).toMatchObject({ code: -32602 });
  await client.call('one__grow');
  await client.waitFor(({ method }) => method === CHANGED);
  // A client in the middle of the list can continue. After another change, its cursor is rejected.
  expect(namesOf(await client.request('tools/list', { cursor: first.result.nextCursor }))).toEqual(namesOf(second));
  await client.request('tools/list');
  client.received.length = 0;
  await client.call('one__grow');
  await client.waitFor(({ method }) => method === CHANGED);
  expect((await client.request('tools/list', { cursor: first.result.nextCursor })).error).toEqual({
    code: -32602,
    message: 'The list has changed since this cursor was returned: list from the start.',
  });
});

/** Long enough for a notification about a change to arrive. */
async function later(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 150));
}
