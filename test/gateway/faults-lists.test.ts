import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness } from './harness.ts';
import { statusOf } from './server-status.ts';

/** Lists that never end, change endlessly, or contain unusable items. */
const { openGateway } = gatewayHarness();

/** Text that controls a terminal, or that a model reads but people cannot see. */
const HIDDEN = /[\p{Cc}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

test('pages are followed to the end', async () => {
  const { connect, gateway } = openGateway({ paged: fixture('pages-its-list', '5') });
  const client = await connect();
  expect(await client.toolNames()).toEqual(Array.from({ length: 10 }, (_, index) => `paged__tool-${index + 1}`));
  expect(statusOf(gateway, 'paged').problems).toEqual([]);
});

test('a list with a cursor loop is truncated at the loop, and that is reported', async () => {
  const { connect, gateway } = openGateway({ loop: fixture('pages-its-list', '4', '--loop') });
  const client = await connect();
  expect(await client.toolNames()).toEqual(Array.from({ length: 8 }, (_, index) => `loop__tool-${index + 1}`));
  expect((await client.call('loop__tool-8')).result.content).toEqual([{ type: 'text', text: 'tool-8' }]);
  const { state, problems } = statusOf(gateway, 'loop');
  expect({ state, problems }).toEqual({
    state: 'degraded',
    problems: ['tools/list: the server sent a cursor that points back to itself'],
  });
});

test('an endless list is truncated, and the others do not wait for it', async () => {
  const { connect, gateway } = openGateway({
    endless: fixture('pages-its-list', '--endless'),
    good: fixture('well-behaved'),
  });
  const client = await connect();
  const names = await client.toolNames();
  expect(names).toContain('good__echo');
  await expect
    .poll(() => statusOf(gateway, 'endless').problems)
    .toEqual(['tools/list: the server sent more than 1000 pages']);
  expect((await client.toolNames()).filter((name) => name.startsWith('endless__'))).toHaveLength(2_000);
  expect((await client.call('endless__tool-1')).result.content).toEqual([{ type: 'text', text: 'tool-1' }]);
});

test('in a list of odd tools, the usable ones are offered and the reason is reported for each other', async () => {
  const { connect, gateway } = openGateway({ odd: fixture('odd-tools') });
  const client = await connect();
  const { result } = await client.request('tools/list');
  const tools = new Map<string, { name: string; description?: string }>(
    result.tools.map((tool: { name: string }) => [tool.name, tool]),
  );
  expect(tools.get('odd__good')).toEqual({
    name: 'odd__good',
    description: 'Nothing is wrong with it',
    inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
  });
  for (const name of ['no-schema', 'null-schema', 'string-schema', 'array-schema'])
    expect(tools.get(`odd__${name}`)).toEqual({ name: `odd__${name}`, inputSchema: { type: 'object' } });
  for (const { name, description = '' } of tools.values()) expect(`${name} ${description}`).not.toMatch(HIDDEN);
  const { state, quarantined, changes } = statusOf(gateway, 'odd');
  expect(state).toBe('ready');
  expect(quarantined).toEqual([
    { name: 'twin', reason: 'another tool has the same name' },
    { name: '(no name)', reason: 'its name is empty' },
    { name: '(no name)', reason: 'its name is not text' },
    { name: '(no name)', reason: 'it has no name' },
    { name: '(no name)', reason: 'it is not an object' },
    { name: '(no name)', reason: 'it is not an object' },
  ]);
  const changed = new Set(changes.map(({ name }) => name));
  for (const name of ['no-schema', 'null-schema', 'string-schema', 'array-schema', 'null-description', 'text-hints'])
    expect(changed).toContain(name);
});

test('every odd tool that is offered can be called under its offered name', async () => {
  const { connect } = openGateway({ odd: fixture('odd-tools') });
  const client = await connect();
  const names = await client.toolNames();
  expect(names.length).toBeGreaterThan(10);
  const answers = await Promise.all(names.map((name) => client.call(name)));
  const called = answers.map(({ result }) => result.content[0].text);
  expect(new Set(called).size).toBe(names.length);
  expect(called).toContain('with spaces / and $(signs)');
  expect(called).toContain('__proto__');
});

test('expensive schemas are forwarded or dropped without evaluation: nothing is fetched', async () => {
  let fetches = 0;
  const foreign = createServer((_, response) => {
    fetches++;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => foreign.once('listening', resolve));
  const { port } = foreign.address() as AddressInfo;
  try {
    const url = `http://127.0.0.1:${port}/schema.json`;
    const { connect, gateway } = openGateway({ bombs: fixture('schema-bombs', url), good: fixture('well-behaved') });
    const client = await connect();
    const names = await client.toolNames();
    expect(names.filter((name) => name.startsWith('bombs__'))).toEqual([
      'bombs__good',
      'bombs__cyclic',
      'bombs__foreign',
      'bombs__slow-pattern',
    ]);
    expect(names).toContain('good__echo');
    expect(statusOf(gateway, 'bombs').quarantined).toEqual([
      { name: 'many-branches', reason: expect.stringContaining('more than') },
      { name: 'bottomless', reason: expect.stringContaining('deep') },
    ]);
    const { result } = await client.call('bombs__slow-pattern', { q: `${'a'.repeat(40)}!` });
    expect(result.content).toEqual([{ type: 'text', text: 'slow-pattern' }]);
    expect(fetches).toBe(0);
  } finally {
    foreign.close();
  }
});

test('ten thousand list_changed notifications without a change do not reach the client', async () => {
  const log: string[] = [];
  const { connect } = openGateway({ flood: fixture('floods-list-changed', '10000') }, { log });
  const client = await connect();
  expect(await client.toolNames()).toEqual(['flood__echo']);
  const announced = () => log.filter((line) => line === 'flood notifications/tools/list_changed').length;
  await expect.poll(announced, { timeout: 30_000 }).toBe(10_000);
  expect((await client.call('flood__echo', { text: 'well' })).result.content[0].text).toBe('well');
  expect(client.notifications('notifications/tools/list_changed')).toEqual([]);
});
