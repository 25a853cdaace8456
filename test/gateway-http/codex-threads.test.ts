import { describe, expect, test } from 'vitest';
import type { Access } from '../../src/serve/fronts/http/principal.ts';
import { openAppServer } from '../codex/app-server.ts';
import { createCodexHome } from '../codex/home.ts';
import type { JsonObject } from '../codex/json.ts';
import { openModel } from '../codex/model.ts';
import { toolOutputs } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import { runTurn, startThread } from '../codex/thread.ts';
import { fixture } from '../fixtures/paths.ts';
import { gatewayFor } from '../interop/programs.ts';
import { isAlive } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { gatewayHttpHarness } from './harness.ts';
import { RawClient } from './raw-client.ts';

const { openGateway } = gatewayHttpHarness();
const SERVERS = { state: { ...fixture('keeps-state'), share: 'client' } } as const;
const CODEX = { name: 'codex-mcp-client', version: '0.166.0' };

/** Accepts any token, which names its owner. */
const access: Access = {
  authenticate: (authorization = '') => {
    const name = authorization.replace('Bearer ', '');
    return { tokenId: name, name, role: 'use', view: undefined, mayNameFolders: false };
  },
  onRevoked: () => () => {},
};

/** A Codex with the token of this owner. Over the modern era, the front separates its threads. */
async function codex(url: string, era: 'legacy' | 'modern', { owner = 'alice', clientInfo = CODEX } = {}) {
  const client = new RawClient(url, era);
  client.headers = { authorization: `Bearer ${owner}` };
  if (era === 'legacy') await client.initialize({}, clientInfo);
  const call = async (tool: string, args: Record<string, unknown>, threadId?: string) => {
    const own = era === 'legacy' ? {} : { 'io.modelcontextprotocol/clientInfo': clientInfo };
    const meta = threadId === undefined ? own : { ...own, threadId };
    const { result, error } = await client.call(`state__${tool}`, args, { meta });
    return error === undefined ? result.content[0].text : `error ${error.code}`;
  };
  return {
    client,
    set: (value: string, threadId?: string) => call('set', { value }, threadId),
    /** Returns the stored value and the process id. */
    async get(threadId?: string): Promise<readonly [string, number]> {
      const text = await call('get', {}, threadId);
      return text.startsWith('error') || !text.startsWith('[') ? [text, 0] : JSON.parse(text);
    },
  };
}

describe.each(['legacy', 'modern'] as const)('a Codex client of the %s era', (era) => {
  verifies('gateway:share:thread', 'has one process for each of its threads', async () => {
    const { url } = await openGateway(SERVERS, { access });
    const { set, get } = await codex(url, era);
    await set('first', 'a');
    await set('second', 'b');
    const [one, other] = [await get('a'), await get('b')];
    expect([one[0], other[0]]).toEqual(['first', 'second']);
    expect(one[1]).not.toBe(other[1]);
    expect([await get('a'), await get('b')]).toEqual([one, other]);
  });

  verifies('gateway:share:thread', 'reaches the process of a thread from another connection', async () => {
    const { url } = await openGateway(SERVERS, { access });
    const [one, other] = [await codex(url, era), await codex(url, era)];
    await one.set('kept', 'a');
    expect(await other.get('a')).toEqual(await one.get('a'));
  });

  verifies(
    'gateway:share:thread-owner',
    'does not reach the process of another token by sending its thread id',
    async () => {
      const { url } = await openGateway(SERVERS, { access });
      const alice = await codex(url, era);
      const mallory = await codex(url, era, { owner: 'mallory' });
      await alice.set('secret', 'a');
      const [[kept, pid], [seen, other]] = [await alice.get('a'), await mallory.get('a')];
      expect([kept, seen]).toEqual(['secret', 'nothing']);
      expect(other).not.toBe(pid);
      await mallory.set('planted', 'a');
      expect(await alice.get('a')).toEqual(['secret', pid]);
    },
  );
});

test('requests without a thread go to the process of the first thread of their session', async () => {
  const { url } = await openGateway(SERVERS, { access });
  const { set, get } = await codex(url, 'legacy');
  await set('early');
  await set('second', 'b');
  await set('third', 'c');
  expect([(await get())[0], (await get('b'))[0]]).toEqual(['second', 'second']);
});

test.each([[''], ['__proto__'], ['x'.repeat(3_000)], ['\u0000']])('a thread may have any name: %j', async (name) => {
  const { url } = await openGateway(SERVERS, { access });
  const { set, get } = await codex(url, 'legacy');
  await set('other', 'a');
  await set('mine', name);
  // Without a name, it is the first thread.
  expect((await get('a'))[0]).toBe(name === '' ? 'mine' : 'other');
  expect((await get(name))[0]).toBe('mine');
});

test('clients other than Codex have no threads', async () => {
  const { url } = await openGateway(SERVERS, { access });
  const { set, get } = await codex(url, 'legacy', { clientInfo: { name: 'other', version: '1' } });
  await set('one', 'a');
  expect((await get('b'))[0]).toBe('one');
});

test('all threads share the process of a server that clients share', async () => {
  const { url } = await openGateway({ state: fixture('keeps-state') }, { access });
  const { set, get } = await codex(url, 'legacy');
  await set('one', 'a');
  expect((await get('b'))[0]).toBe('one');
});

describe('the processes of threads', () => {
  verifies('gateway:share:thread-end', 'are stopped when their only client leaves', async () => {
    const { url } = await openGateway(SERVERS, { access });
    const { client, get } = await codex(url, 'legacy');
    const pids = [(await get('a'))[1], (await get('b'))[1], (await get('c'))[1]];
    expect(await client.end()).toBe(200);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });

  verifies('gateway:share:thread-end', 'are stopped when the thread was idle for too long', async () => {
    const { url } = await openGateway(SERVERS, { access, poolLimits: { threadIdleMs: 200 } });
    const { set, get } = await codex(url, 'legacy');
    await set('first', 'a');
    const [, pid] = await get('b');
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect((await get('a'))[0]).toBe('first');
    expect((await get('b'))[0]).toBe('nothing');
  });

  verifies(
    'gateway:share:thread-limit',
    'are limited: the process of an idle thread is stopped, otherwise the call fails',
    async () => {
      const { url } = await openGateway(SERVERS, { access, poolLimits: { maxExtraProcesses: 2 } });
      const { get } = await codex(url, 'legacy');
      const first = await get('a');
      const [, oldest] = await get('b');
      const [, newer] = await get('c');
      await get('d');
      await expect.poll(() => isAlive(oldest)).toBe(false);
      expect([isAlive(newer), await get('a')]).toEqual([true, first]);
      const others = [await codex(url, 'legacy', { owner: 'bob' }), await codex(url, 'legacy', { owner: 'carol' })];
      for (const other of others) expect((await other.get())[1]).toBeGreaterThan(0);
      const late = await codex(url, 'legacy', { owner: 'dave' });
      expect((await late.get())[0]).toContain('already has 3 processes');
    },
  );
});

test('clients with ever new capabilities cannot start processes without a limit', async () => {
  const { url } = await openGateway(
    { state: fixture('keeps-state') },
    { access, poolLimits: { maxExtraProcesses: 2 } },
  );
  const client = new RawClient(url, 'modern');
  const results = [];
  for (let count = 0; count < 4; count++) {
    client.capabilities = { experimental: { [`feature-${count}`]: {} } };
    results.push((await client.call('state__get')).error?.message ?? 'fine');
  }
  expect(results).toEqual(['fine', 'fine', 'fine', expect.stringContaining('already has 3 processes')]);
});

test.each(['http', 'stdio'] as const)(
  'two threads of the real codex app-server over %s have a process each',
  async (front) => {
    using command = gatewayFor();
    command.configure(SERVERS);
    const { url } = await openGateway(SERVERS);
    await using model = await openModel();
    const gw = front === 'http' ? { url } : { command: command.command, args: command.args };
    await using home = await createCodexHome({
      modelUrl: model.url,
      mcpServers: { gw: { ...gw, default_tools_approval_mode: 'approve' } },
    });
    await using server = await openAppServer({ home });
    const [a, b] = [await startThread(server, { cwd: home.workDir }), await startThread(server, { cwd: home.workDir })];
    const call = async (threadId: string, tool: string, value?: string) => {
      const args = value === undefined ? {} : { arguments: { value } };
      await runTurn(server, threadId, [{ mcp: { server: 'gw', tool: `state__${tool}`, ...args } }, { message: 'ok' }]);
      const last = model.requests.at(-1);
      return last === undefined ? '' : (toolOutputs(last).at(-1) ?? '');
    };
    await call(a, 'set', 'of-a');
    await call(b, 'set', 'of-b');
    expect(await call(a, 'get')).toContain('of-a');
    expect(await call(b, 'get')).toContain('of-b');
  },
);

test('an agent that a thread of the real codex app-server starts has a process of its own', async () => {
  const { url } = await openGateway(SERVERS);
  await using model = await openModel();
  await using home = await createCodexHome({
    modelUrl: model.url,
    model: 'a-name-codex-does-not-know',
    mcpServers: { gw: { url, default_tools_approval_mode: 'approve' } },
    extra: { features: { multi_agent: true } },
  });
  await using server = await openAppServer({ home });
  const threadId = await startThread(server, { cwd: home.workDir });
  const state = (tool: string, args: JsonObject = {}) => ({
    mcp: { server: 'gw', tool: `state__${tool}`, arguments: args },
  });
  const agent = script([state('set', { value: 'of-agent' }), state('get'), { message: 'done' }]);
  const spawn = { tool: { name: 'spawn_agent', arguments: { message: agent } } };
  await runTurn(server, threadId, [state('set', { value: 'of-parent' }), spawn, { message: 'ok' }]);
  const outputs = () => model.requests.flatMap(toolOutputs).join('\n');
  await expect.poll(outputs).toContain('of-agent');
  await runTurn(server, threadId, [state('get'), { message: 'ok' }]);
  expect(outputs()).toContain('of-parent');
});
