import { expect, test, vi } from 'vitest';
import { openAppServer } from '../codex/app-server.ts';
import { runCodexExec } from '../codex/exec.ts';
import { objectsOf } from '../codex/json.ts';
import { type ModelRequest, textOf } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import { runTurn, startThread } from '../codex/thread.ts';
import { verifies } from '../verifies.ts';
import { follow, requestsOf, run, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

const shared = shareTestbed();
const spoken = (request: ModelRequest | undefined) => (request?.input ?? []).map((item) => textOf(item['content']));

verifies(
  ['codex:say:earlier-server', 'codex:say:tracks-unknown', 'codex:say:keeps-config', 'codex:server:no-store'],
  'a session from before a restart continues with its settings',
  async () => {
    const before = await shared.testbed.serve();
    const args = { sandbox: 'read-only', approvalPolicy: 'untrusted', model: 'gpt-5.4' };
    const { sessionId } = await run(before, [{ message: 'from before' }], args);
    await before.close();
    const after = await shared.testbed.serve();
    const flow = follow(after, String(sessionId));
    expect(await flow.status()).toMatchObject({ status: 'done', result: 'from before', isStored: true });
    await flow.say([{ shell: 'touch resumed.txt' }, { message: 'and after' }]);
    // It keeps the policy that it was started with.
    await flow.respond((await flow.question()).id, 'deny');
    const status = await flow.settled();
    expect(status).toMatchObject({
      status: 'done',
      result: 'and after',
      recentOutput: [],
      turnCount: 1,
      model: 'gpt-5.4',
      approvalPolicy: 'untrusted',
      sandbox: 'read-only',
      workingDirectory: shared.testbed.home.workDir,
    });
    expect(Object.keys(status)).not.toContain('isStored');
    expect(spoken(requestsOf(shared.testbed.model, flow.id)[1])).toContain('from before');
    await after.close();
  },
);

verifies(
  ['codex:say:interactive-session', 'codex:list:resumable', 'codex:list:all'],
  'a session of codex exec is found and continues',
  async () => {
    const { testbed, client } = shared;
    const prompt = script([{ message: 'said by exec' }], 'made by exec ');
    const ran = await runCodexExec({ home: testbed.home, prompt, timeoutMs: 50_000 });
    expect(ran).toMatchObject({ exitCode: 0 });
    const sessionId = String(ran.events[0]?.['thread_id']);
    const { sessions } = await client.call('codex_list', { search: 'made by exec' });
    expect(sessions).toMatchObject([{ sessionId, isActive: false, directory: testbed.home.workDir, source: 'exec' }]);
    const reply = await follow(client, sessionId).say([{ message: 'and by us' }], { waitSeconds: 50 });
    expect(reply).toMatchObject({ sessionId, status: 'done', result: 'and by us', delivered: 'started' });
    expect(spoken(requestsOf(testbed.model, sessionId).at(-1))).toEqual(
      expect.arrayContaining([prompt, 'said by exec', script([{ message: 'and by us' }])]),
    );
  },
);

test('a session that another Codex has open is refused, or continues in a fork on request', async () => {
  const { testbed, client } = shared;
  await using other = await openAppServer({ home: testbed.home });
  const sessionId = await startThread(other, { cwd: testbed.home.workDir, sandbox: 'read-only' });
  await runTurn(other, sessionId, [{ message: 'said elsewhere' }]);
  const message = script([{ message: 'said here' }]);
  expect(await client.failure('codex_say', { sessionId, message })).toBe(
    `Session ${sessionId} is open in another Codex, probably a terminal or an editor, and only one Codex can write to it. Close it there, or set onConflict: "fork" to continue in a copy.`,
  );
  expect(await client.call('codex_list', { limit: 5 })).toMatchObject({
    sessions: expect.arrayContaining([expect.objectContaining({ sessionId, isActive: false, heldElsewhere: true })]),
  });
  const forked = await client.call('codex_say', { sessionId, message, onConflict: 'fork', waitSeconds: 50 });
  expect(forked).toMatchObject({
    status: 'done',
    result: 'said here',
    delivered: 'forked',
    forkedFrom: sessionId,
  });
  expect(await client.call('codex_status', { sessionId: forked['sessionId'] })).toMatchObject({ sandbox: 'read-only' });
  expect(forked['sessionId']).not.toBe(sessionId);
  const [request] = requestsOf(testbed.model, String(forked['sessionId']));
  expect(spoken(request)).toContain('said elsewhere');
  // The session that the other Codex has open is unchanged.
  expect(await runTurn(other, sessionId, [{ message: 'still here' }])).toMatchObject({ status: 'completed' });
  const { sessions } = await client.call('codex_list', { limit: 10 });
  const ids = objectsOf(sessions).map((session) => session['sessionId']);
  expect(ids).toEqual(expect.arrayContaining([sessionId, forked['sessionId']]));
});

test('a session that another Codex has closed can be continued', async () => {
  const { testbed, client } = shared;
  const other = await openAppServer({ home: testbed.home });
  const sessionId = await startThread(other, { cwd: testbed.home.workDir });
  await runTurn(other, sessionId, [{ message: 'said elsewhere' }]);
  const message = script([{ message: 'mine now' }]);
  await client.failure('codex_say', { sessionId, message });
  await other.close();
  expect(await client.call('codex_say', { sessionId, message, waitSeconds: 50 })).toMatchObject({ result: 'mine now' });
});

test('of two concurrent messages to a stored session, one runs and one is refused', async () => {
  const before = await shared.testbed.serve();
  const { sessionId } = await run(before, [{ message: 'from before' }]);
  await before.close();
  const answers = await Promise.all(
    ['one', 'two'].map((word) =>
      shared.client.result('codex_say', { sessionId, message: script([{ delayMs: 200 }, { message: word }]) }),
    ),
  );
  expect(answers.map((answer) => answer['isError'] === true).sort()).toEqual([false, true]);
  const status = await follow(shared.client, String(sessionId)).settled();
  expect(status).toMatchObject({ status: 'done', turnCount: 1, result: expect.stringMatching(/^(one|two)$/u) });
});

test('a session running in our own server is not reported as held elsewhere', async () => {
  const flow = await start(shared.client, [{ hang: true }]);
  await vi.waitFor(() => expect(requestsOf(shared.testbed.model, flow.id)).toHaveLength(1), 30_000);
  const { sessions } = await shared.client.call('codex_list', { limit: 1 });
  expect(sessions).toMatchObject([{ sessionId: flow.id, isActive: true, activeStatus: 'active' }]);
  expect(JSON.stringify(sessions)).not.toContain('heldElsewhere');
  await flow.interrupt();
});
