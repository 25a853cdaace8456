import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { type GatewayTestOptions, gatewayHarness, type Message, type TestClient } from './harness.ts';

const { openGateway, processes } = gatewayHarness();

const SERVERS = { one: fixture('offers-everything', 'one'), two: fixture('offers-everything', 'two') };
const VIEWS = {
  first: { servers: ['one'] },
  narrow: { servers: ['one', 'two'], tools: { allow: ['one.*', 'two.work'], deny: ['*.die'] } },
  patterns: { tools: { allow: ['two.h*'] } },
} as const;

async function openTwo(options: GatewayTestOptions = {}) {
  const opened = openGateway(SERVERS, { views: VIEWS, ...options });
  const all = await opened.connect();
  await seen(all);
  const limited = (view: string) => opened.connect({}, opened.gateway.openView({ view }));
  return { ...opened, all, limited };
}

/** What a client sees, by kind. */
async function seen(client: TestClient): Promise<Record<string, readonly string[]>> {
  const list = async (method: string, key: string, name: string) => {
    const { result } = await client.request(method);
    return result[key].map((item: Record<string, string>) => item[name]);
  };
  return {
    tools: await list('tools/list', 'tools', 'name'),
    prompts: await list('prompts/list', 'prompts', 'name'),
    resources: await list('resources/list', 'resources', 'uri'),
    templates: await list('resources/templates/list', 'resourceTemplates', 'uriTemplate'),
  };
}

const READ = (uri: string) => ['resources/read', { uri }] as const;

verifies('views:lists:limited', 'a view limits tools, prompts, resources and templates', async () => {
  const { limited } = await openTwo();
  expect(await seen(await limited('first'))).toEqual({
    tools: ['one__heard', 'one__die', 'one__log', 'one__touch', 'one__work'],
    prompts: ['one__greet'],
    resources: ['test://one/listed', 'test://shared', 'switchboard://status'],
    templates: ['test://one/items/{id}', 'common://{path}'],
  });
});

test('patterns limit tools by server and own name, and deny wins', async () => {
  const { limited } = await openTwo();
  expect((await seen(await limited('narrow')))['tools']).toEqual([
    'one__heard',
    'one__log',
    'one__touch',
    'one__work',
    'two__work',
  ]);
});

test('without servers, a view has only the servers that its patterns name', async () => {
  const { limited } = await openTwo();
  expect(await seen(await limited('patterns'))).toMatchObject({ tools: ['two__heard'], prompts: ['two__greet'] });
});

verifies('views:names:stable', 'names are the same in every view', async () => {
  const { all, limited } = await openTwo();
  const names = (await seen(all))['tools'] ?? [];
  for (const view of Object.keys(VIEWS)) {
    const tools = (await seen(await limited(view)))['tools'] ?? [];
    expect(tools).toEqual(names.filter((name) => tools.includes(name)));
  }
});

describe('outside the view', () => {
  const UNAVAILABLE = (name: string) => ({
    code: 1019,
    message: expect.stringContaining(`${name} is not available in this view`),
  });

  verifies('views:calls:refused', 'a tool, a prompt, a resource or a completion is refused', async () => {
    const { limited } = await openTwo();
    const client = await limited('first');
    const errorOf = async (method: string, params: Record<string, unknown>) =>
      (await client.request(method, params)).error;
    expect((await client.call('two__heard')).error).toMatchObject(UNAVAILABLE('two__heard'));
    expect(await errorOf('prompts/get', { name: 'two__greet' })).toMatchObject(UNAVAILABLE('two__greet'));
    for (const uri of ['test://two/listed', 'test://two/items/7']) {
      expect(await errorOf(...READ(uri))).toMatchObject(UNAVAILABLE(uri));
      expect(await errorOf('resources/subscribe', { uri })).toMatchObject(UNAVAILABLE(uri));
    }
    const argument = { name: 'who', value: 'a' };
    const prompt = { ref: { type: 'ref/prompt', name: 'two__greet' }, argument };
    expect(await errorOf('completion/complete', prompt)).toMatchObject(UNAVAILABLE('two__greet'));
    const resource = { ref: { type: 'ref/resource', uri: 'test://two/items/{id}' }, argument };
    expect(await errorOf('completion/complete', resource)).toMatchObject(UNAVAILABLE('test://two/items/{id}'));
  });

  test('an unknown tool is still unknown, and no hidden name is suggested', async () => {
    const { limited } = await openTwo();
    const client = await limited('first');
    expect((await client.call('nowhere__heard')).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool: nowhere__heard'),
    });
    expect(client.lines.join('\n')).not.toContain('two');
  });

  test('a tool that the patterns hide is refused on a visible server, and others work', async () => {
    const { limited } = await openTwo();
    const client = await limited('narrow');
    expect((await client.call('two__heard')).error).toMatchObject(UNAVAILABLE('two__heard'));
    expect((await client.call('one__heard')).result).toBeDefined();
    const { result } = await client.request(...READ('test://two/listed'));
    expect(result.contents[0].text).toBe('two has test://two/listed');
  });

  test('Codex gets the refusal as the text of a result', async () => {
    const { gateway, connect } = await openTwo();
    const clientInfo = { name: 'codex-mcp-client', version: '0.166.0' };
    const codex = await connect({ clientInfo }, gateway.openView({ view: 'first' }));
    const { result } = await codex.call('two__heard');
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: 'two__heard is not available in this view.' }],
      _meta: { 'switchboard/error': { kind: 'tool_error', retryable: false } },
    });
  });

  test('a task of a hidden server cannot be reached', async () => {
    const { all, limited } = await openTwo();
    await all.call('two__work', {}, { task: { ttl: 60_000 } });
    expect((await all.request('tasks/get', { taskId: 'two-task' })).result).toMatchObject({ by: 'two' });
    const client = await limited('first');
    expect((await client.request('tasks/get', { taskId: 'two-task' })).error?.code).toBe(-32601);
  });

  test('with names without prefix, a view finds its own tool of the same name', async () => {
    const { gateway, connect } = openGateway(SERVERS, { hasPrefix: false, views: { second: { servers: ['two'] } } });
    const all = await connect();
    await all.toolNames();
    const client = await connect({}, gateway.openView({ view: 'second' }));
    expect((await seen(client))['resources']).toEqual(['test://two/listed', 'test://shared', 'switchboard://status']);
    const read = async (from: TestClient) => (await from.request(...READ('test://shared'))).result.contents[0].text;
    expect([await read(all), await read(client)]).toEqual(['one has test://shared', 'two has test://shared']);
  });
});

verifies('views:status:limited', 'status and instructions name only what the view shows', async () => {
  const unused = {
    id: 'broken',
    origin: { layer: 'global', file: '/test/config.json', line: 9 },
    verdict: { kind: 'error', reason: '/test/config.json:9: no' },
  } as const;
  const { all, limited } = await openTwo({ unused: [unused] });
  const client = await limited('narrow');
  const status = async (from: TestClient) =>
    JSON.parse((await from.request(...READ('switchboard://status'))).result.contents[0].text);
  const tools = (answer: { servers: { id: string; tools: number; hiddenTools: number }[] }) =>
    answer.servers.map(({ id, tools: count, hiddenTools }) => [id, count, hiddenTools]);
  expect(tools(await status(all))).toEqual([
    ['one', 5, 0],
    ['two', 5, 0],
    ['broken', 0, 0],
  ]);
  expect(tools(await status(client))).toEqual([
    ['one', 4, 0],
    ['two', 1, 0],
  ]);
  const instructions = ({ received }: TestClient) => received[0]?.result.instructions;
  expect([instructions(all), instructions(client)]).toEqual([
    expect.stringContaining('broken'),
    expect.not.stringContaining('broken'),
  ]);
});

test('reports patterns that match no tool once the tools are known', async () => {
  const views = { odd: { tools: { allow: ['one.heard', 'one.haerd'], deny: ['two.x*', 'gone.*'] } } };
  const { limited, gateway } = await openTwo({ views });
  const client = await limited('odd');
  await client.toolNames();
  const messages = gateway.problems(gateway.openView({ view: 'odd' })).map(({ message }) => message);
  expect(messages).toEqual([
    'views.odd.tools.allow: no tool matches one.haerd.',
    'views.odd.tools.deny: no tool matches "two.x*".',
  ]);
});

describe('two clients with different views', () => {
  verifies('views:messages:isolated', 'get no messages of servers that they do not see', async () => {
    const { limited, connect, gateway } = await openTwo();
    const first = await limited('first');
    const second = await connect({}, gateway.openView({ client: 'unrecorded', view: 'patterns' }));
    await Promise.all([first.toolNames(), second.toolNames()]);
    await first.call('one__log', { level: 'info', data: 'from one' });
    await first.waitFor(({ method }) => method === 'notifications/message');
    expect(second.notifications('notifications/message')).toEqual([]);
  });

  test('only servers that a client sees are started', async () => {
    const { gateway, connect } = openGateway(SERVERS, { views: VIEWS, clients: { codex: ['two', 'gone'] } });
    const states = () => gateway.status().map(({ id, state }) => [id, state]);
    const first = await connect({}, gateway.openView({ view: 'first' }));
    expect(await first.toolNames()).toHaveLength(5);
    expect(states()).toEqual([
      ['one', 'ready'],
      ['two', 'idle'],
    ]);
    expect((await first.call('two__heard')).error?.message).toContain('not available in this view');
    expect(processes.alive().filter(({ command }) => command.includes('offers-everything'))).toHaveLength(1);
    const codex = await connect({}, gateway.openView({ client: 'codex' }));
    expect(await codex.toolNames()).toEqual(['two__heard', 'two__die', 'two__log', 'two__touch', 'two__work']);
    expect(states()).toEqual([
      ['one', 'ready'],
      ['two', 'ready'],
    ]);
  });

  test('a view and a client limit together', async () => {
    const { gateway, connect } = openGateway(SERVERS, { views: VIEWS, clients: { codex: ['two'] } });
    const client = await connect({}, gateway.openView({ view: 'narrow', client: 'codex' }));
    expect(await client.toolNames()).toEqual(['two__work']);
  });

  test('a client without a record sees everything', async () => {
    const { gateway, connect } = openGateway(SERVERS, { clients: { codex: ['two'] } });
    expect(await (await connect({}, gateway.openView({ client: 'zed' }))).toolNames()).toHaveLength(10);
  });
});

test('an unknown view is an error with the known ones, and exists says so', async () => {
  const { gateway } = openGateway(SERVERS, { views: VIEWS });
  expect([gateway.hasView('first'), gateway.hasView('frist'), gateway.hasView('__proto__')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(() => gateway.openView({ view: 'frist' })).toThrow('There is no view frist. Did you mean first?');
  expect(() => gateway.openView({ view: 'other' })).toThrow('The config has: first, narrow, patterns.');
});

describe('a reload', () => {
  const CHANGED = 'notifications/tools/list_changed';
  const hasChanged = ({ method }: Message) => method === CHANGED;

  verifies('views:reload:only-changed', 'notifies only the clients of a changed view', async () => {
    const { limited, apply, all } = await openTwo();
    const [first, patterns] = await Promise.all([limited('first'), limited('patterns')]);
    await Promise.all([first.toolNames(), patterns.toolNames()]);
    const views = { ...VIEWS, patterns: { tools: { allow: ['two.*'], deny: ['two.die'] } } };
    expect(apply(SERVERS, { views })).toEqual({ started: [], replaced: [], adjusted: [], stopped: [] });
    await patterns.waitFor(hasChanged);
    expect(await patterns.toolNames()).toEqual(['two__heard', 'two__log', 'two__touch', 'two__work']);
    // Notifications of one change are sent together, so those of the others would have arrived.
    expect([...all.notifications(CHANGED), ...first.notifications(CHANGED)]).toEqual([]);
  });

  test('starts a server that becomes visible and stops one that nobody sees any more', async () => {
    const { gateway, connect, apply } = openGateway(SERVERS, { views: VIEWS, clients: { codex: ['one'] } });
    const codex = await connect({}, gateway.openView({ client: 'codex' }));
    expect(await codex.toolNames()).toHaveLength(5);
    const [{ pid = 0 } = {}] = processes.alive().filter(({ command }) => command.includes('offers-everything'));
    expect(apply(SERVERS, { clients: { codex: ['two'] } })).toEqual({
      started: ['two'],
      replaced: [],
      adjusted: [],
      stopped: ['one'],
    });
    await codex.waitFor(hasChanged);
    await expect.poll(() => codex.toolNames(), { timeout: 20_000 }).toContain('two__work');
    await expect.poll(() => processes.alive().some((one) => one.pid === pid), { timeout: 20_000 }).toBe(false);
    expect((await codex.call('one__work')).error?.message).toContain('not available in this view');
    apply(SERVERS, { clients: { codex: ['one', 'two'] } });
    await expect.poll(() => codex.toolNames(), { timeout: 20_000 }).toHaveLength(10);
    expect((await codex.call('one__heard')).result).toBeDefined();
  });

  verifies('views:reload:gone', 'a view that is gone shows nothing', async () => {
    const log: string[] = [];
    const { limited, apply } = await openTwo({ log });
    const client = await limited('first');
    await client.toolNames();
    apply(SERVERS, { views: {} });
    await client.waitFor(hasChanged);
    expect(await seen(client)).toEqual({ tools: [], prompts: [], resources: ['switchboard://status'], templates: [] });
    expect(log).toContain(
      'Clients of the view first see nothing: There is no view first. Add it under "views" in config.json: see docs/config.md',
    );
    apply(SERVERS);
    await expect.poll(() => client.toolNames()).toHaveLength(5);
  });

  test('ends the subscriptions to servers that are no longer visible', async () => {
    const { limited, apply, all } = await openTwo();
    const client = await limited('narrow');
    await client.toolNames();
    await client.request('resources/subscribe', { uri: 'test://two/listed' });
    apply(SERVERS, { views: { narrow: { servers: ['one'] } } });
    await expect.poll(async () => JSON.stringify(await all.call('two__heard'))).toContain('resources/unsubscribe');
    await all.call('two__touch', { uri: 'test://two/listed' });
    expect(client.notifications('notifications/resources/updated')).toEqual([]);
  });
});
