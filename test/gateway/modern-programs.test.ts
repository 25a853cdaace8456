import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCatalogCache } from '../../src/upstream/catalog-cache/catalog-cache.ts';
import { fixture } from '../fixtures/paths.ts';
import { ownServer } from '../interop/programs.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type Message, type TestClient } from './harness.ts';
import { pidOf, statusOf, untilState } from './server-status.ts';
import { testFolders } from './tools-from-file.ts';

const { openGateway, openSingle } = gatewayHarness();
const newFolder = testFolders();
const META = 'io.modelcontextprotocol';
const text = ({ result, error }: Message) => (error === undefined ? result.content[0].text : error.message);
const kit = (...options: string[]) => fixture('refuses-initialize', ...options);
const official = () => ownServer('modern-only');

/** The messages that the fixture has received, oldest first. */
async function heard(client: TestClient, prefix = 'one__'): Promise<readonly Message[]> {
  const lines: string[] = JSON.parse(text(await client.call(`${prefix}heard`)));
  return lines.map((line) => (line === 'aborted' ? { aborted: true } : JSON.parse(line)));
}

async function methodsHeard(client: TestClient, prefix?: string): Promise<readonly unknown[]> {
  return (await heard(client, prefix)).map(({ method }) => method);
}

describe('a program that speaks only 2026-07-28', () => {
  verifies('eras:stdio:modern-only', 'is called in that revision, in the process that refused initialize', async () => {
    const { connect, gateway } = openGateway({ one: kit() });
    const client = await connect({ capabilities: { elicitation: {} } });
    expect(text(await client.call('one__echo', { text: 'ü' }))).toBe('ü');
    expect(statusOf(gateway, 'one')).toMatchObject({ state: 'ready', protocolVersion: '2026-07-28' });
    const messages = await heard(client);
    expect(messages.map(({ method }) => method).slice(0, 2)).toEqual(['initialize', 'server/discover']);
    expect(messages.map(({ method }) => method)).not.toContain('notifications/initialized');
    expect(messages.find(({ method }) => method === 'tools/call')?.params).toEqual({
      name: 'echo',
      arguments: { text: 'ü' },
      _meta: {
        [`${META}/protocolVersion`]: '2026-07-28',
        [`${META}/clientInfo`]: { name: 'switchboard', title: 'Switchboard', version: expect.any(String) },
        [`${META}/clientCapabilities`]: { elicitation: {} },
      },
    });
  });

  test.each(['-32601', '-32602', '-32600', '-32022'])('may refuse initialize with %s', async (code) => {
    const { connect } = openGateway({ one: kit('--code', code) });
    expect(text(await (await connect()).call('one__echo', { text: 'a' }))).toBe('a');
  });

  test('behind the gateway of a single command keeps its names', async () => {
    const client = await openSingle(official()).connect({ capabilities: { elicitation: {} } });
    client.onRequest = () => ({ result: { action: 'accept', content: { name: 'Ada' } } });
    expect(text(await client.call('ask', { kind: 'elicitation' }))).toContain('Ada');
  });

  test('that is written with the official SDK works', async () => {
    const { connect, gateway } = openGateway({ one: official() });
    const client = await connect();
    expect(await client.toolNames()).toContain('one__echo');
    expect(text(await client.call('one__echo', { text: 'a' }))).toBe('a');
    expect(statusOf(gateway, 'one').protocolVersion).toBe('2026-07-28');
    const { result } = await client.request('resources/read', { uri: 'note://one' });
    expect(result.contents).toEqual([{ uri: 'note://one', text: 'a note' }]);
  });

  verifies('eras:stdio:input', 'gets the answers of the client that called', async () => {
    const answers: Readonly<Record<string, object>> = {
      'elicitation/create': { action: 'accept', content: { name: 'Ada' } },
      'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'Hi' }, model: 'm' },
      'roots/list': { roots: [{ uri: 'file:///tmp', name: 'tmp' }] },
    };
    const { connect } = openGateway({ one: official() });
    const capabilities = { elicitation: {}, sampling: {}, roots: {} };
    const [client, other] = await Promise.all([connect({ capabilities }), connect({ capabilities })]);
    client.onRequest = ({ method }) => ({ result: answers[String(method)] });
    const calls = ['elicitation', 'sampling', 'roots'].map((kind) => client.call('one__ask', { kind }));
    expect((await Promise.all(calls)).map((answer) => JSON.parse(text(answer)))).toMatchObject(Object.values(answers));
    const asked = ({ received }: TestClient) => received.filter(({ id, method }) => id !== undefined && method);
    expect([asked(client).length, asked(other).length]).toEqual([3, 0]);
  });

  test('gets an error from a client that cannot answer, and the call does not hang', async () => {
    const { connect } = openGateway({ one: official() });
    const { error } = await (await connect()).call('one__ask', { kind: 'sampling' });
    expect(error).toMatchObject({ code: -32021 });
  });

  test('reports progress in all rounds of a call under the token of the client', async () => {
    const client = await openGateway({ one: kit() }).connect({ capabilities: { elicitation: {} } });
    client.onRequest = () => ({ result: { action: 'accept', content: { name: 'Ada' } } });
    const answer = await client.call('one__ask', {}, { _meta: { progressToken: 'mine' } });
    expect(JSON.parse(text(answer))).toEqual({ action: 'accept', content: { name: 'Ada' } });
    expect(client.notifications('notifications/progress').map(({ params }) => params)).toEqual([
      { progressToken: 'mine', progress: 1 },
      { progressToken: 'mine', progress: 2 },
    ]);
  });

  test('is told by a notification that a call was cancelled, and its late response is dropped', async () => {
    const client = await openGateway({ one: kit() }).connect();
    await client.toolNames();
    client.send({ jsonrpc: '2.0', id: 'h', method: 'tools/call', params: { name: 'one__hang' } });
    await client.call('one__echo', { text: 'a' });
    client.notify('notifications/cancelled', { requestId: 'h', reason: 'enough' });
    await expect.poll(() => heard(client), { timeout: 30_000 }).toContainEqual({ aborted: true });
    const messages = await heard(client);
    const hang = messages.find(({ params }) => params?.['name'] === 'hang');
    expect(messages.find(({ method }) => method === 'notifications/cancelled')?.params).toMatchObject({
      requestId: hang?.id,
    });
    expect(client.received.some(({ id }) => id === 'h')).toBe(false);
  });

  test('announces a changed list, and the client gets the new one', async () => {
    const client = await openGateway({ one: kit() }).connect();
    expect(await client.toolNames()).not.toContain('one__grown');
    await client.call('one__grow');
    await client.waitFor(({ method }) => method === 'notifications/tools/list_changed');
    await expect.poll(() => client.toolNames(), { timeout: 30_000 }).toContain('one__grown');
  });

  test.each([
    ['the kit', kit],
    ['the official SDK', official],
  ])('written with %s reports the resources that a client subscribed to', async (_, server) => {
    const client = await openGateway({ one: server() }).connect();
    await client.request('resources/list');
    await client.call('one__touch');
    expect(await client.request('resources/subscribe', { uri: 'note://one' })).toMatchObject({ result: {} });
    await expect
      .poll(
        async () => {
          await client.call('one__touch');
          return client.notifications('notifications/resources/updated')[0]?.params;
        },
        { timeout: 30_000 },
      )
      .toEqual({ uri: 'note://one' });
    expect(await client.request('resources/unsubscribe', { uri: 'note://one' })).toMatchObject({ result: {} });
    const before = client.notifications('notifications/resources/updated').length;
    await client.call('one__touch');
    expect(client.notifications('notifications/resources/updated')).toHaveLength(before);
  });

  test('gets the log level with every call', async () => {
    const client = await openGateway({ one: official() }).connect();
    await client.call('one__log');
    expect(client.notifications('notifications/message')).toEqual([]);
    await client.request('logging/setLevel', { level: 'debug' });
    await client.call('one__log');
    expect(client.notifications('notifications/message').map(({ params }) => params)).toMatchObject([
      { level: 'debug', data: 'a word' },
    ]);
  });

  test('that dies is restarted, and only its call fails', async () => {
    const { connect, gateway } = openGateway({ one: kit(), two: fixture('well-behaved') });
    const client = await connect();
    await client.toolNames();
    const pid = pidOf(gateway, 'one');
    const [died, other] = await Promise.all([client.call('one__die'), client.call('two__echo', { text: 'b' })]);
    expect([died.error?.message, text(other)]).toEqual([expect.stringContaining('code 7'), 'b']);
    expect(text(await client.call('one__echo', { text: 'again' }))).toBe('again');
    expect(pidOf(gateway, 'one')).not.toBe(pid);
    // It was modern before, so it is not asked for the other era again.
    expect((await methodsHeard(client))[0]).toBe('server/discover');
  });
});

describe('the era of a program', () => {
  const newCache = () =>
    openCatalogCache({ folder: newFolder(), now: Date.now, onProblem: (message) => expect.fail(message) });

  test('is remembered, so that the next gateway begins with it', async () => {
    const cache = newCache();
    const first = openGateway({ one: kit() }, { cache });
    await (await first.connect()).toolNames();
    await first.gateway.close();
    const client = await openGateway({ one: kit() }, { cache }).connect();
    expect(await methodsHeard(client)).not.toContain('initialize');
    expect(text(await client.call('one__echo', { text: 'a' }))).toBe('a');
  });

  test.each([
    ['refuses server/discover', ['--both', '--also-discover']],
    ['exits at server/discover', ['--both', '--dies-at', 'server/discover']],
  ])('is negotiated again if a server that was modern now %s', async (_, options) => {
    const cache = newCache();
    const file = join(newFolder(), 'options');
    writeFileSync(file, '');
    const first = openGateway({ one: kit('--options', file) }, { cache });
    await (await first.connect()).toolNames();
    await first.gateway.close();
    writeFileSync(file, options.join(' '));
    const { connect, gateway } = openGateway({ one: kit('--options', file) }, { cache });
    const client = await connect();
    // A server that exits gets `initialize` at its next start.
    await expect.poll(async () => text(await client.call('one__echo', { text: 'a' })), { timeout: 30_000 }).toBe('a');
    expect(statusOf(gateway, 'one').protocolVersion).toBe('2025-11-25');
  });

  verifies('eras:stdio:both', 'stays legacy if it speaks both', async () => {
    const { connect, gateway } = openGateway({ one: kit('--both') });
    const client = await connect();
    expect(await methodsHeard(client)).not.toContain('server/discover');
    expect(statusOf(gateway, 'one').protocolVersion).toBe('2025-11-25');
  });

  test('is not asked for if initialize fails for another reason', async () => {
    const { connect, gateway } = openGateway({ one: kit('--code', '-32603') });
    const client = await connect();
    await untilState(gateway, 'one', 'error');
    expect((await client.call('one__echo', { text: 'a' })).error?.message).toContain('no initialize here');
  });

  verifies('eras:stdio:refusal', 'is unknown if it refuses both, and the error is that of initialize', async () => {
    const servers = { one: kit('--also-discover'), two: kit('--dies-at', 'server/discover') };
    const client = await openGateway(servers).connect();
    for (const id of Object.keys(servers))
      expect((await client.call(`${id}__echo`, { text: 'a' })).error?.message).toContain('no initialize here');
  });
});
