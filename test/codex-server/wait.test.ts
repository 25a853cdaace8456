import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { objectsOf } from '../codex/json.ts';
import type { Step } from '../codex/steps.ts';
import { verifies } from '../verifies.ts';
import { start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

const shared = shareTestbed();
const wait = (sessionIds: readonly string[], args = {}) => shared.client.call('codex_wait', { sessionIds, ...args });
const startAll = async (...each: readonly (readonly Step[])[]) => {
  const flows = await Promise.all(each.map((steps) => start(shared.client, steps, { approvalPolicy: 'untrusted' })));
  return { flows, ids: flows.map(({ id }) => id) };
};
const later = (ms: number, message: string) => [{ delayMs: ms }, { message }];
/** Prints its name when the test has written a file of that name. */
const held = (name: string): readonly Step[] => [
  { shell: `until [ -e ${name} ]; do sleep 0.1; done`, options: { yield_time_ms: 30_000 } },
  { message: name },
];

verifies('codex:server:concurrent', 'waits for all of three sessions, and returns the result of each', async () => {
  const { ids } = await startAll(later(50, 'a'), later(400, 'b'), later(200, 'c'));
  expect(await wait(ids)).toMatchObject({
    isOver: true,
    sessions: [
      { sessionId: ids[0], status: 'done', result: 'a' },
      { sessionId: ids[1], status: 'done', result: 'b' },
      { sessionId: ids[2], status: 'done', result: 'c' },
    ],
  });
});

test('waiting for any of three sessions ends when the first is done', async () => {
  const { flows, ids } = await startAll([{ hang: true }], later(100, 'b'), [{ hang: true }]);
  expect(await wait(ids, { mode: 'any' })).toMatchObject({
    isOver: true,
    sessions: [{ status: 'active' }, { status: 'done', result: 'b' }, { status: 'active' }],
  });
  await Promise.all(flows.map((flow) => flow.interrupt()));
});

test('with a cursor, waiting for any returns each session once and ends when none is left', async () => {
  const steps = [later(50, 'a'), held('b'), held('c')];
  const flows = await Promise.all(steps.map((each) => start(shared.client, each, { approvalPolicy: 'never' })));
  const ids = flows.map(({ id }) => id);
  const reported: unknown[] = [];
  let cursor: unknown;
  let remaining: unknown;
  do {
    const news = await wait(ids, { mode: 'any', ...(cursor === undefined ? {} : { cursor }) });
    expect(news['isOver']).toBe(true);
    const done = objectsOf(news['sessions']).filter(({ status }) => status === 'done');
    reported.push(...done.map(({ result }) => result));
    const next = ['b', 'c'].find((name) => !reported.includes(name));
    if (next !== undefined) await writeFile(join(shared.testbed.home.workDir, next), '');
    ({ cursor, remaining } = news);
  } while (remaining !== 0 && reported.length < 9);
  expect(reported).toEqual(['a', 'b', 'c']);
  // Nothing is running and nothing is new, so the response is immediate.
  expect(await wait(ids, { mode: 'any', cursor })).toEqual({ isOver: true, sessions: [], cursor, remaining: 0 });
  // Another turn is new again.
  await flows[0]?.say([{ message: 'a2' }]);
  expect(await wait(ids, { mode: 'any', cursor })).toMatchObject({ sessions: [{ sessionId: ids[0], result: 'a2' }] });
  expect(await shared.client.failure('codex_wait', { sessionIds: ids, cursor: 'nonsense' })).toBe(
    'This is not a cursor of codex_wait: nonsense. Use one from an earlier result, or leave it out.',
  );
});

test('with a cursor, each question is returned once', async () => {
  const startArguments = [{ shell: 'touch one.txt' }, { shell: 'touch two.txt' }, { message: 'went on' }];
  const { flows, ids } = await startAll(startArguments, [{ hang: true }]);
  const first = await wait(ids, { mode: 'any' });
  expect(first).toMatchObject({ sessions: [{ status: 'awaiting_approval' }, { status: 'active' }] });
  const { cursor } = first;
  expect(await wait(ids, { mode: 'any', cursor, timeoutSeconds: 0.3 })).toMatchObject({ isOver: false, sessions: [] });
  const { id = '' } = (await flows[0]?.question()) ?? {};
  const waiting = wait(ids, { mode: 'any', cursor });
  await flows[0]?.respond(id, 'approve');
  expect(await waiting).toMatchObject({
    isOver: true,
    sessions: [{ sessionId: ids[0], pendingQuestion: { id: expect.not.stringMatching(new RegExp(`^${id}$`, 'u')) } }],
  });
  await Promise.all(flows.map((flow) => flow.interrupt()));
});

test('a session that needs an answer ends the wait for all', async () => {
  const startArguments = [{ shell: 'touch asked.txt' }, { message: 'went on' }];
  const { flows, ids } = await startAll([{ hang: true }], startArguments, later(50, 'c'));
  const { isOver, sessions } = await wait(ids);
  expect({ isOver, sessions }).toMatchObject({
    isOver: true,
    sessions: [
      { status: 'active' },
      { status: 'awaiting_approval', pendingQuestion: { type: 'command_approval' } },
      {},
    ],
  });
  await Promise.all(flows.map((flow) => flow.interrupt()));
});

test('a wait that times out says that the sessions are not done', async () => {
  const { flows, ids } = await startAll([{ message: 'I begin.' }, { shell: 'true' }, { hang: true }], later(20, 'b'));
  await flows[0]?.respond((await flows[0].question()).id, 'approve');
  expect(await flows[1]?.settled()).toMatchObject({ status: 'done' });
  const began = Date.now();
  expect(await wait(ids, { timeoutSeconds: 0.5 })).toMatchObject({
    isOver: false,
    sessions: [{ status: 'active' }, { status: 'done' }],
  });
  expect(Date.now() - began).toBeGreaterThan(450);
  expect(await wait(ids, { timeoutSeconds: 0, mode: 'any' })).toMatchObject({ isOver: true });
  await Promise.all(flows.map((flow) => flow.interrupt()));
});

test('an interrupt ends the wait', async () => {
  const { flows, ids } = await startAll([{ hang: true }]);
  const waiting = wait(ids);
  await flows[0]?.interrupt();
  expect(await waiting).toMatchObject({ isOver: true, sessions: [{ status: 'interrupted' }] });
});

test('cancelling the wait does not end the turn', async () => {
  const { flows, ids } = await startAll(later(600, 'went on'));
  const { client } = shared;
  const { id } = client.begin('tools/call', { name: 'codex_wait', arguments: { sessionIds: ids } });
  client.notify('notifications/cancelled', { requestId: id });
  expect(await flows[0]?.settled()).toMatchObject({ status: 'done', result: 'went on' });
});

test('a waiting client gets short progress messages', async () => {
  const { client } = shared;
  const long = `echo ${'x'.repeat(400)}; sleep 4`;
  const flow = await start(client, [{ shell: long }, { message: 'done' }]);
  const from = client.notifications.length;
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  const reported = client.notifications.slice(from).filter(({ method }) => method === 'notifications/progress');
  const messages = reported.map(({ params }) => String(params['message']));
  expect(messages.length).toBeGreaterThanOrEqual(2);
  expect(messages.every((message) => message.length <= 200)).toBe(true);
  expect(messages).toContainEqual(expect.stringMatching(/^running: .*echo x+.*\(\d+ s\)/u));
  const counts = reported.map(({ params }) => Number(params['progress']));
  expect(counts).toEqual([...counts].sort((one, other) => one - other));
  expect(new Set(counts).size).toBe(counts.length);
});

test('the operator limits how long a call may wait', async () => {
  const client = await shared.testbed.serve({ args: ['--max-wait', '1'] });
  const flow = await start(client, [{ hang: true }]);
  expect(await client.call('codex_wait', { sessionIds: [flow.id], timeoutSeconds: 1_000 })).toMatchObject({
    isOver: false,
  });
  await flow.interrupt();
});

test('waiting for an unknown session or for no session is an error', async () => {
  const { client } = shared;
  const id = '01a10000-0000-7000-8000-000000000000';
  expect(await client.failure('codex_wait', { sessionIds: [id] })).toContain(
    `No turn of session ${id} has run in this server.`,
  );
  expect(await client.failure('codex_wait', { sessionIds: [] })).toBe('sessionIds must name 1 to 50 sessions.');
  expect(await client.failure('codex_wait')).toContain('sessionIds');
  expect(await client.failure('codex_wait', { sessionIds: [id], mode: 'some' })).toContain('mode');
});

test('the more sessions there are, the less is returned for each', async () => {
  const long = Array.from({ length: 3 }, (_, index) => ({ message: `${index} ${'x'.repeat(30_000)}` }));
  const { ids } = await startAll(...Array.from({ length: 8 }, () => long));
  const answer = await wait(ids);
  expect(JSON.stringify(answer).length).toBeLessThan(161_000);
  expect(answer).toMatchObject({
    isOver: true,
    sessions: ids.map((sessionId) => ({
      sessionId,
      status: 'done',
      result: expect.stringMatching(/^2 x/u),
      resultCursor: expect.stringMatching(/^[0-9a-f]{8}-\d+$/u),
      truncated: true,
    })),
  });
});

test('a session named twice is returned once', async () => {
  const { ids } = await startAll(later(0, 'once'));
  const { sessions } = await wait([...ids, ...ids]);
  expect(sessions).toHaveLength(1);
});
