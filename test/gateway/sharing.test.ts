import { describe, expect, test } from 'vitest';
import { openCatalogCache } from '../../src/upstream/catalog-cache/catalog-cache.ts';
import { fixture } from '../fixtures/paths.ts';
import { isAlive } from '../processes.ts';
import { useTemporaryFolders } from '../temporary-folder.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type TestClient } from './harness.ts';
import { receivedParams } from './scripted-lines.ts';
import { statusOf, untilState } from './server-status.ts';

const { openGateway } = gatewayHarness();
const newFolder = useTemporaryFolders();

const PER_CLIENT = { ...fixture('keeps-state'), share: 'client' } as const;

describe('a server with share: client', () => {
  verifies('gateway:share:client', 'has a process for each client, with its own state', async () => {
    const { connect, gateway } = openGateway({ one: PER_CLIENT });
    const [left, right, third] = [await connect(), await connect(), await connect()];
    for (const [client, value] of [
      [left, 'l'],
      [right, 'r'],
      [third, 't'],
    ] as const)
      await client.call('one__set', { value });
    const kept = [await get(left), await get(right), await get(third)];
    expect(kept.map(({ value }) => value)).toEqual(['l', 'r', 't']);
    expect(new Set(kept.map(({ pid }) => pid)).size).toBe(3);
    expect(statusOf(gateway, 'one')).toMatchObject({ state: 'ready', processes: 3, tools: 4 });
  });

  test('starts no second process for one client', async () => {
    const { connect, gateway } = openGateway({ one: PER_CLIENT });
    const client = await connect();
    await client.toolNames();
    await get(client);
    expect(statusOf(gateway, 'one').processes).toBeUndefined();
    expect(await receivedParams(client, 'one__', 'tools/list')).toHaveLength(1);
  });

  test('lists its tools once for all clients', async () => {
    const { connect } = openGateway({ one: PER_CLIENT });
    const [left, right] = [await connect(), await connect()];
    expect(await right.toolNames()).toEqual(await left.toolNames());
    await get(left);
    expect(await receivedParams(right, 'one__', 'tools/list')).toEqual([]);
  });

  verifies('gateway:share:leave', 'has its process stopped when the client leaves, whichever it was', async () => {
    const { connect } = openGateway({ one: PER_CLIENT });
    const [left, right] = [await connect(), await connect()];
    await left.call('one__set', { value: 'secret' });
    const [first, second] = [await get(left), await get(right)];
    left.leave();
    await expect.poll(() => isAlive(first.pid), { timeout: 30_000 }).toBe(false);
    expect(await get(right)).toEqual(second);
    const next = await connect();
    expect((await get(next)).value).toBe('nothing');
    right.leave();
    await expect.poll(() => isAlive(second.pid), { timeout: 30_000 }).toBe(false);
    expect((await get(next)).value).toBe('nothing');
  });

  test('restarts only the process that crashed', async () => {
    const { connect } = openGateway({ one: PER_CLIENT });
    const [left, right] = [await connect(), await connect()];
    await left.call('one__set', { value: 'kept' });
    const first = await get(left);
    expect((await right.call('one__die')).error).toMatchObject({ code: 1104 });
    expect((await get(right)).value).toBe('nothing');
    expect(await get(left)).toEqual(first);
  });

  test('has all its processes replaced when its entry changes', async () => {
    const { connect, apply } = openGateway({ one: PER_CLIENT });
    const clients = [await connect(), await connect()];
    const before = await Promise.all(clients.map(get));
    apply({ one: { ...PER_CLIENT, env: { CHANGED: '1' } } });
    const after = await Promise.all(clients.map(get));
    expect(new Set([...before, ...after].map(({ pid }) => pid)).size).toBe(4);
    for (const { pid } of before) await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
  });

  test('shares one process again when its entry says so', async () => {
    const { connect, apply } = openGateway({ one: PER_CLIENT });
    const clients = [await connect(), await connect()];
    const before = await Promise.all(clients.map(get));
    apply({ one: { ...PER_CLIENT, share: 'folder' } });
    const [left, right] = await Promise.all(clients.map(get));
    expect(left).toEqual(right);
    for (const { pid } of before) await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
  });

  test('has all its processes stopped when it is removed', async () => {
    const { connect, apply } = openGateway({ one: PER_CLIENT });
    const clients = [await connect(), await connect()];
    const before = await Promise.all(clients.map(get));
    apply({});
    for (const { pid } of before) await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
    expect((await clients[1]?.call('one__get'))?.error).toMatchObject({ code: -32602 });
  });
});

describe('clients of a shared server', () => {
  test.each(['folder', 'user'] as const)('share one process with share: %s', async (share) => {
    const { connect, gateway } = openGateway({ one: { ...fixture('keeps-state'), share } });
    const [left, right] = [await connect(), await connect()];
    await left.call('one__set', { value: 'ours' });
    expect(await get(right)).toEqual(await get(left));
    expect(statusOf(gateway, 'one').processes).toBeUndefined();
  });

  verifies('gateway:share:capabilities', 'share a process only if they declare the same capabilities', async () => {
    const { connect } = openGateway({ one: fixture('keeps-state') });
    const plain = await connect();
    const form = await connect({ capabilities: { elicitation: {} } });
    const sameForm = await connect({ capabilities: { elicitation: { form: {} } } });
    const url = await connect({ capabilities: { elicitation: { form: {}, url: {} } } });
    const pids = await Promise.all([plain, form, sameForm, url].map(async (client) => (await get(client)).pid));
    expect([pids[1] === pids[2], new Set(pids).size]).toEqual([true, 3]);
    const told = await Promise.all([plain, form, url].map((client) => receivedParams(client, 'one__', 'initialize')));
    expect(told).toMatchObject([
      [{ capabilities: {} }],
      [{ capabilities: { elicitation: {} } }],
      [{ capabilities: { elicitation: { form: {}, url: {} } } }],
    ]);
    form.leave();
    expect((await get(sameForm)).pid).toBe(pids[1]);
    sameForm.leave();
    await expect.poll(() => isAlive(pids[1] ?? 0), { timeout: 30_000 }).toBe(false);
  });
});

describe('a server that asks its client without naming a call', () => {
  const ELICITING = { capabilities: { elicitation: {} } };

  verifies('gateway:share:asks', 'gets a process for each client after the first question', async () => {
    const log: string[] = [];
    const { connect, gateway } = openGateway({ one: fixture('requests-elicitation') }, { log });
    const [left, right] = [await connect(ELICITING), await connect(ELICITING)];
    for (const [client, name] of [
      [left, 'Left'],
      [right, 'Right'],
    ] as const)
      client.onRequest = () => ({ result: { action: 'accept', content: { name } } });
    expect(await ask(left)).toMatchObject({ result: { content: { name: 'Left' } } });
    expect(statusOf(gateway, 'one').processes).toBeUndefined();
    const answers = await Promise.all([ask(left), ask(right), ask(left), ask(right)]);
    expect(answers.map(({ result }) => result.content.name)).toEqual(['Left', 'Right', 'Left', 'Right']);
    expect(statusOf(gateway, 'one').processes).toBe(2);
    expect(log).toContain('one: asks its client questions, so each client gets its own process of it from now on.');
  });

  test('asks the client of the call that caused it, and never another, from the second call on', async () => {
    const { connect } = openGateway({ one: fixture('requests-elicitation') });
    const [left, right] = [await connect(ELICITING), await connect(ELICITING)];
    left.onRequest = right.onRequest = () => ({ result: { action: 'decline' } });
    await left.toolNames();
    const first = await Promise.all([ask(left), ask(right)]);
    // Both calls were pending in one process: both questions are refused, rather than guessed.
    expect(first.map(({ error }) => error?.message)).toEqual([
      expect.stringContaining('elicitation/create: one serves 2 clients'),
      expect.stringMatching(/does not say which of them it is for\. Repeat the call: it gets a process of its own\.$/),
    ]);
    expect(await Promise.all([ask(left), ask(right)])).toMatchObject([
      { result: { action: 'decline' } },
      { result: { action: 'decline' } },
    ]);
  });

  test('has a process for each client from the start in the next run', async () => {
    const folder = newFolder();
    const openCache = () => openCatalogCache({ folder, now: Date.now, onProblem: (text) => expect.fail(text) });
    const servers = { one: fixture('requests-elicitation') };
    const before = openGateway(servers, { cache: openCache() });
    const [left] = [await before.connect(ELICITING), await before.connect(ELICITING)];
    left.onRequest = () => ({ result: { action: 'cancel' } });
    await left.toolNames();
    await ask(left);
    await before.gateway.close();

    const { connect } = openGateway(servers, { cache: openCache() });
    const clients = [await connect(ELICITING), await connect(ELICITING)];
    for (const client of clients) client.onRequest = () => ({ result: { action: 'cancel' } });
    expect(await Promise.all(clients.map(ask))).toMatchObject([
      { result: { action: 'cancel' } },
      { result: { action: 'cancel' } },
    ]);
  });

  test('keeps its process if only one client is connected', async () => {
    const { connect, gateway } = openGateway({ one: fixture('requests-elicitation') });
    const client = await connect(ELICITING);
    client.onRequest = () => ({ result: { action: 'cancel' } });
    await ask(client);
    const other = await connect(ELICITING);
    await other.toolNames();
    await untilState(gateway, 'one', 'ready');
    expect(statusOf(gateway, 'one').processes).toBeUndefined();
  });
});

async function get(client: TestClient): Promise<{ value: unknown; pid: number }> {
  const { result, error } = await client.call('one__get');
  if (error !== undefined) throw new Error(error.message);
  const [value, pid] = JSON.parse(result.content[0].text);
  return { value, pid };
}

async function ask(client: TestClient) {
  const { result, error } = await client.call('one__ask');
  if (error !== undefined) throw new Error(error.message);
  return JSON.parse(result.content[0].text);
}
