import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { objectsOf } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { eventually } from '../codex-server/testbed.ts';
import { verifies } from '../verifies.ts';
import { call, contentOf, settled, shareHttpTestbed, startSession } from './testbed.ts';

const testbed = shareHttpTestbed();

let alice: string;
let bob: string;
beforeAll(async () => {
  alice = await testbed().token('alice');
  bob = await testbed().token('bob');
});

const exists = (name: string) => existsSync(join(testbed().home.workDir, name));

verifies(
  ['codex:http:restart', 'codex:http:owner'],
  'after kill -9 and a restart, each client continues its own sessions without initialize',
  async () => {
    const probe = await testbed().serve();
    const { port } = new URL(probe.url);
    await probe.kill('SIGTERM');
    const before = await testbed().serve({ port });
    const [owner, other] = [await before.connect(alice), await before.connect(bob)];
    const sessionId = await startSession(owner, [{ message: 'before' }]);
    await settled(owner, sessionId);
    const running = await startSession(owner, [{ hang: true }]);
    await before.kill('SIGKILL');
    const after = await testbed().serve({ port });
    for (const id of [sessionId, running]) {
      expect(await call(other, 'codex_status', { sessionId: id })).toHaveProperty('error');
      expect(await call(other, 'codex_say', { sessionId: id, message: 'x' })).toHaveProperty('error');
    }
    expect(objectsOf((await call(other, 'codex_list'))['sessions'])).toEqual([]);
    expect(await call(owner, 'codex_status', { sessionId })).toMatchObject({ status: 'done', result: 'before' });
    const message = script([{ message: 'after' }]);
    expect(await call(owner, 'codex_say', { sessionId, message, waitSeconds: 50 })).toMatchObject({ result: 'after' });
    expect(objectsOf((await call(owner, 'codex_list'))['sessions']).map((each) => each['sessionId'])).toContain(
      sessionId,
    );
    // An id of a session of HTTP works only with its own token.
    const stolen = after.client('legacy', bob);
    stolen.sessionId = owner.sessionId;
    expect((await stolen.exchange('tools/list')).status).toBe(404);
    await after.kill('SIGTERM');
  },
);

verifies('codex:http:stop', 'a signal ends running turns, and calls that wait for them say so', async () => {
  const server = await testbed().serve({ args: ['--auth', 'none'] });
  const clients = [await server.connect(), server.client('modern')];
  const ids = await Promise.all(
    clients.map((client, index) =>
      startSession(client, [{ shell: `touch started-${index}.txt; sleep 600` }, { message: 'never' }]),
    ),
  );
  await eventually(() => exists('started-0.txt') && exists('started-1.txt'));
  let begun = 0;
  const waits = clients.map((client, index) => {
    client.onMessage = ({ method }) => {
      if (method === 'notifications/progress') begun |= 1 << index;
    };
    const meta = { progressToken: 'waiting' };
    return client.call('codex_wait', { sessionIds: [ids[index]], timeoutSeconds: 50 }, { meta });
  });
  await eventually(() => begun === 3);
  const stopped = server.kill('SIGTERM');
  const results = (await Promise.all(waits)).map(contentOf);
  expect(results.map(({ sessions }) => objectsOf(sessions).map(({ status }) => status))).toEqual([
    ['interrupted'],
    ['interrupted'],
  ]);
  expect(await stopped).toBe(143);
  // The testbed asserts that no process is left.
});

verifies(
  'codex:http:killed',
  'the session of a killed client continues, and its questions are refused in time',
  async () => {
    const server = await testbed().serve({ env: { APPROVAL_TIMEOUT_MS: '3000' } });
    const killed = await server.connect(alice, { elicitation: {} });
    const gone = new AbortController();
    await killed.listen(gone.signal);
    const asking = await startSession(killed, [{ shell: 'touch refused.txt' }, { message: 'went on' }], {
      approvalPolicy: 'untrusted',
    });
    const working = await startSession(killed, [
      { delayMs: 500 },
      { shell: 'touch worked.txt' },
      { message: 'worked' },
    ]);
    const waiting = killed.exchange(
      'tools/call',
      { name: 'codex_wait', arguments: { sessionIds: [asking, working] } },
      { signal: gone.signal },
    );
    gone.abort();
    await waiting.catch(() => undefined);
    const other = await server.connect(alice);
    for (const sessionId of [asking, working])
      await eventually(async () => {
        const { status } = contentOf(await other.call('codex_status', { sessionId }));
        return status === 'done';
      });
    expect(await call(other, 'codex_status', { sessionId: working })).toMatchObject({ result: 'worked' });
    expect([exists('worked.txt'), exists('refused.txt')]).toEqual([true, false]);
    await server.kill('SIGTERM');
  },
);

verifies('codex:http:revoked', 'a revoked token ends its turns, and no others', async () => {
  const token = await testbed().token('short');
  const server = await testbed().serve();
  const [revoked, other] = [await server.connect(token), await server.connect(bob)];
  await startSession(revoked, [{ shell: 'touch begun.txt; sleep 3; touch revoked.txt' }, { message: 'x' }]);
  const kept = await startSession(other, [{ shell: 'sleep 3; touch kept.txt' }, { message: 'kept' }]);
  await eventually(() => exists('begun.txt'));
  expect((await testbed().cli('token', 'revoke', 'short')).status).toBe(0);
  expect(await settled(other, kept)).toMatchObject({ status: 'done', result: 'kept' });
  expect((await revoked.exchange('tools/list')).status).toBe(401);
  expect([exists('kept.txt'), exists('revoked.txt')]).toEqual([true, false]);
  await server.kill('SIGTERM');
});

verifies('codex:http:limits', 'operator limits and MAX_SESSIONS hold over HTTP', async () => {
  const args = ['--max-sandbox', 'read-only', '--approvals', 'none', '--tools', 'all'];
  const server = await testbed().serve({ args, env: { MAX_SESSIONS: '1' } });
  const [first, second] = [await server.connect(alice), server.client('modern', bob)];
  for (const client of [first, second]) {
    expect(await call(client, 'codex_start', { prompt: 'x', sandbox: 'workspace-write' })).toEqual({
      error: expect.stringContaining('read-only'),
    });
    expect(await call(client, 'codex', { prompt: 'x', sandbox: 'workspace-write' })).toEqual({
      error: expect.stringContaining('read-only'),
    });
  }
  const args1 = { sandbox: 'read-only' };
  const running = await startSession(first, [{ hang: true }], args1);
  const { error } = await call(second, 'codex_start', { prompt: 'x', ...args1 });
  expect(error).toContain('MAX_SESSIONS is 1');
  expect(error).not.toContain(running);
  await call(first, 'codex_interrupt', { sessionId: running });
  const done = await startSession(second, [{ shell: 'touch limited.txt' }, { message: 'done' }], args1);
  expect(await settled(second, done)).toMatchObject({ status: 'done' });
  expect(exists('limited.txt')).toBe(false);
  await server.kill('SIGTERM');
});
