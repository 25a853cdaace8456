import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type JsonObject, objectsOf } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import type { RawClient } from '../gateway-http/raw-client.ts';
import { verifies } from '../verifies.ts';
import { call, type HttpCodex, settled, shareHttpTestbed, startSession } from './testbed.ts';

const testbed = shareHttpTestbed();
const NOWHERE = '01a10000-0000-7000-8000-000000000000';
const ASKS = { approvalPolicy: 'untrusted' };

let server: HttpCodex;
let alice: string;
let bob: string;
beforeAll(async () => {
  alice = await testbed().token('alice');
  bob = await testbed().token('bob');
  server = await testbed().serve({ args: ['--tools', 'all'] });
});

/** Every tool that names a session, with arguments that work for its owner. */
const toolsFor = (sessionId: string): readonly (readonly [string, JsonObject])[] => [
  ['codex_say', { sessionId, message: script([{ message: 'stolen' }]) }],
  ['codex_say', { sessionId, message: 'stolen', onBusy: 'steer' }],
  ['codex_say', { sessionId, message: 'stolen', onBusy: 'queue' }],
  ['codex_say', { sessionId, message: 'stolen', onConflict: 'fork' }],
  ['codex_status', { sessionId }],
  ['codex_status', { sessionId, resultCursor: '0' }],
  ['codex_respond', { sessionId, id: 'approval_1', answers: ['approve'] }],
  ['codex_interrupt', { sessionId }],
  ['codex_wait', { sessionIds: [sessionId] }],
  ['codex_fork', { sessionId }],
  ['codex_fork', { sessionId, message: 'stolen' }],
  ['codex_diff', { sessionId }],
  ['codex_read', { sessionId }],
  ['codex_usage', { sessionId }],
  ['codex-reply', { threadId: sessionId, prompt: 'stolen' }],
];

/** Asserts that a session does not exist for this client: every response is the one for an unknown session. */
async function expectUnknown(client: RawClient, sessionId: string): Promise<void> {
  for (const [index, [name, args]] of toolsFor(sessionId).entries()) {
    const [, argsOfNobody = {}] = toolsFor(NOWHERE)[index] ?? [];
    const [got, expected] = [await client.call(name, args), await client.call(name, argsOfNobody)];
    expect(expected.result.isError, name).toBe(true);
    expect(JSON.stringify(got.result), name).toBe(JSON.stringify(expected.result).replaceAll(NOWHERE, sessionId));
  }
  for (const part of ['', '/result', '/transcript', '/diff', '/result?page=0']) {
    const read = (id: string) => client.request('resources/read', { uri: `codex://sessions/${id}${part}` });
    const [got, expected] = [await read(sessionId), await read(NOWHERE)];
    expect(got.error).toBeDefined();
    expect(JSON.stringify(got.error)).toBe(JSON.stringify(expected.error).replaceAll(NOWHERE, sessionId));
  }
  const lists = await Promise.all([
    call(client, 'codex_list', { limit: 200 }),
    call(client, 'codex_usage'),
    client.request('resources/list'),
    client.request('resources/read', { uri: 'codex://sessions' }),
  ]);
  expect(JSON.stringify(lists)).not.toContain(sessionId);
}

verifies(
  'codex:http:owner',
  'for another token, a session does not exist: waiting for an approval, and done',
  async () => {
    const owner = await server.connect(alice);
    const [sdk, raw] = [await server.connect(bob), server.client('modern', bob)];
    const sessionId = await startSession(owner, [{ shell: 'touch approved.txt' }, { message: 'mine' }], ASKS);
    const asking = await settled(owner, sessionId);
    expect(asking).toMatchObject({ status: 'awaiting_approval' });
    await expectUnknown(sdk, sessionId);
    await expectUnknown(raw, sessionId);
    // Not even with the id of the approval.
    const { id } = asking['pendingQuestion'] as { id: string };
    expect(await call(sdk, 'codex_respond', { sessionId, id, answers: ['approve'] })).toEqual({
      error: expect.stringContaining('No turn of session'),
    });
    await call(owner, 'codex_respond', { sessionId, id, answers: ['approve'] });
    expect(await settled(owner, sessionId)).toMatchObject({ status: 'done', result: 'mine' });
    await expectUnknown(sdk, sessionId);
    expect(objectsOf((await call(owner, 'codex_list'))['sessions']).map((each) => each['sessionId'])).toContain(
      sessionId,
    );
    const { mode } = statSync(join(testbed().env['SWITCHBOARD_HOME'] ?? '', 'codex-owners.json'));
    expect(mode & 0o777).toBe(0o600);
  },
);

verifies('codex:http:owner', 'another client of the same token shares its sessions', async () => {
  const [first, second] = [await server.connect(alice), server.client('modern', alice)];
  const sessionId = await startSession(first, [{ message: 'one' }]);
  expect(await settled(second, sessionId)).toMatchObject({ status: 'done', result: 'one' });
  const said = await call(second, 'codex_say', { sessionId, message: script([{ message: 'two' }]), waitSeconds: 50 });
  expect(said).toMatchObject({ result: 'two' });
});

verifies('codex:http:owner', 'forks and reviews belong to the token too', async () => {
  const [owner, other] = [await server.connect(alice), await server.connect(bob)];
  const sessionId = await startSession(owner, [{ message: 'one' }]);
  await settled(owner, sessionId);
  const { sessionId: fork } = await call(owner, 'codex_fork', { sessionId });
  const review = await call(owner, 'codex_review', {
    target: 'custom',
    instructions: script([{ message: 'fine' }]),
    waitSeconds: 50,
  });
  for (const id of [String(fork), String(review['sessionId'])]) {
    expect(await call(owner, 'codex_read', { sessionId: id })).not.toHaveProperty('error');
    expect(await call(other, 'codex_read', { sessionId: id })).toHaveProperty('error');
  }
});

verifies(
  'codex:http:owner',
  'only subscribers with the same token are notified, even if others know the URI of the session',
  async () => {
    const [owner, other, modern] = [
      await server.connect(alice),
      await server.connect(bob),
      server.client('modern', bob),
    ];
    const heard: string[] = [];
    const told: string[] = [];
    other.onMessage = modern.onMessage = (message) => void heard.push(JSON.stringify(message));
    owner.onMessage = (message) => void told.push(JSON.stringify(message));
    const stop = new AbortController();
    await Promise.all([other.listen(stop.signal), owner.listen(stop.signal)]);
    const sessionId = await startSession(owner, [{ message: 'one' }]);
    const uri = `codex://sessions/${sessionId}`;
    for (const client of [owner, other])
      for (const each of [uri, `${uri}/result`, 'codex://sessions'])
        await client.request('resources/subscribe', { uri: each });
    const listening = modern.exchange(
      'subscriptions/listen',
      { notifications: { resourcesListChanged: true, resourceSubscriptions: [uri, 'codex://sessions'] } },
      { signal: stop.signal },
    );
    await settled(owner, sessionId);
    await call(owner, 'codex_say', { sessionId, message: script([{ message: 'two' }]), waitSeconds: 50 });
    await expect.poll(() => told.filter((text) => text.includes('resources/updated')).length).toBeGreaterThan(2);
    // Everything that other clients could have been sent precedes this.
    await call(other, 'codex_usage');
    stop.abort();
    await listening.catch(() => undefined);
    expect(heard.filter((text) => /resources\/(?:updated|list_changed)/.test(text))).toEqual([]);
  },
);

verifies('codex:http:owner', 'folders of other tokens are not completed', async () => {
  const [owner, other] = [await server.connect(alice), await server.connect(bob)];
  const workingDirectory = join(testbed().home.rootDir, 'private');
  mkdirSync(workingDirectory);
  await settled(owner, await startSession(owner, [{ message: 'x' }], { workingDirectory }));
  const complete = async (client: RawClient) => {
    const ref = { type: 'ref/prompt', name: 'delegate' };
    const params = { ref, argument: { name: 'folder', value: '' } };
    return (await client.request('completion/complete', params)).result.completion.values;
  };
  expect(await complete(owner)).toContain(workingDirectory);
  expect(await complete(other)).toEqual([testbed().home.workDir]);
});

test('codex_list pages and filters only the sessions of its token', async () => {
  const carol = await testbed().token('carol');
  const client = await server.connect(carol);
  const ids: string[] = [];
  for (const name of ['first', 'second', 'third']) {
    const sessionId = await startSession(client, [{ message: 'x' }], { name });
    await settled(client, sessionId);
    ids.unshift(sessionId);
  }
  const page = async (args: JsonObject) => {
    const { sessions, nextCursor } = await call(client, 'codex_list', args);
    return { ids: objectsOf(sessions).map(({ sessionId }) => sessionId), nextCursor };
  };
  expect((await page({})).ids).toEqual(ids);
  const one = await page({ limit: 2 });
  expect(one.ids).toEqual(ids.slice(0, 2));
  expect((await page({ limit: 2, cursor: one.nextCursor })).ids).toEqual(ids.slice(2));
  expect((await page({ search: 'second' })).ids).toEqual([ids[1]]);
  expect((await page({ workingDirectory: testbed().home.workDir })).ids).toEqual(ids);
  expect((await page({ workingDirectory: testbed().home.rootDir })).ids).toEqual([]);
  expect(await call(client, 'codex_list', { cursor: NOWHERE })).toHaveProperty('error');
});
