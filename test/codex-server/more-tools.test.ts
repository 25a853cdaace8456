import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { type JsonObject, objectsOf } from '../codex/json.ts';
import { textOf } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { itemsOf, member, requestsOf, run, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

const shared = shareTestbed({}, { args: ['--tools', 'full'] });
const CORE = [
  'codex_start',
  'codex_say',
  'codex_status',
  'codex_respond',
  'codex_interrupt',
  'codex_list',
  'codex_wait',
];
const MORE = ['codex_fork', 'codex_review', 'codex_diff', 'codex_read', 'codex_models', 'codex_usage'];
const adding = (name: string, text: string) => ({
  patch: `*** Begin Patch\n*** Add File: ${name}\n+${text}\n*** End Patch`,
});

// The folder is already inside a repository. A separate one keeps that repository's files out of the diffs.
beforeAll(() => void execFileSync('git', ['init', '-q', shared.testbed.home.workDir]));

verifies(['codex:server:tools', 'codex:server:stdio'], 'offers seven tools, and six more on request', async () => {
  const core = await shared.testbed.serve();
  const toolsOf = async (client: typeof core) => objectsOf((await client.request('tools/list'))['tools']);
  const [few, all] = await Promise.all([toolsOf(core), toolsOf(shared.client)]);
  const refused = await core.begin('tools/call', { name: 'codex_usage', arguments: {} }).answer;
  expect(JSON.stringify(refused)).toContain('codex_usage');
  await core.close();
  expect(few.map(({ name }) => name)).toEqual(CORE);
  expect(all.map(({ name }) => name)).toEqual([...CORE, ...MORE]);
  for (const tool of all) {
    expect(tool).toMatchObject({
      title: expect.stringMatching(/./u),
      description: expect.stringMatching(/^.{20,300}$/su),
      inputSchema: { type: 'object', additionalProperties: false },
      outputSchema: { type: 'object' },
      annotations: {
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
        openWorldHint: expect.any(Boolean),
      },
    });
  }
});

test('a fork keeps the conversation and continues independently', async () => {
  const flow = await start(shared.client, [{ message: 'the root' }]);
  await flow.settled();
  const { client } = shared;
  const fork = await client.call('codex_fork', { sessionId: flow.id });
  expect(fork).toEqual({ sessionId: expect.any(String), status: 'done', forkedFrom: flow.id });
  expect(fork['sessionId']).not.toBe(flow.id);
  const sayArguments = { sessionId: fork['sessionId'], message: script([{ message: 'a branch' }]), waitSeconds: 50 };
  expect(await client.call('codex_say', sayArguments)).toMatchObject({ status: 'done', result: 'a branch' });
  const texts = requestsOf(shared.testbed.model, String(fork['sessionId']))
    .at(-1)
    ?.input.map((item) => textOf(item['content']));
  expect(texts).toContain('the root');
  expect(await flow.status()).toMatchObject({ turnCount: 1, result: 'the root' });
});

test('a fork with a message starts at once, from an earlier turn if one is named', async () => {
  const { client } = shared;
  const flow = await start(client, [{ message: 'turn one' }]);
  await flow.settled();
  await flow.say([{ message: 'turn two' }], { waitSeconds: 50 });
  const { turns } = await client.call('codex_read', { sessionId: flow.id });
  const lastTurnId = objectsOf(turns)[0]?.['turnId'];
  const args = { sessionId: flow.id, lastTurnId, message: script([{ message: 'branched' }]), waitSeconds: 50 };
  const fork = await client.call('codex_fork', args);
  expect(fork).toMatchObject({ status: 'done', result: 'branched', forkedFrom: flow.id });
  const texts = requestsOf(shared.testbed.model, String(fork['sessionId']))
    .at(-1)
    ?.input.map((item) => textOf(item['content']));
  expect(texts).toContain('turn one');
  expect(texts).not.toContain('turn two');
});

test('a fork of an unknown session is an error', async () => {
  const id = '01a10000-0000-7000-8000-000000000000';
  expect(await shared.client.failure('codex_fork', { sessionId: id })).toContain(`There is no session ${id}`);
});

test('a review follows its instructions and returns its findings', async () => {
  const { client } = shared;
  const instructions = script([{ shell: 'ls' }, { message: 'Nothing to complain of.' }], 'Look at it. ');
  const { sessionId } = await client.call('codex_review', { target: 'custom', instructions, waitSeconds: 50 });
  const review = await client.call('codex_status', { sessionId });
  expect(review).toMatchObject({
    status: 'done',
    result: 'Nothing to complain of.',
    sandbox: 'read-only',
    turnCount: 1,
    recentOutput: [],
  });
  expect(itemsOf(review)).toEqual(['command_execution completed /bin/bash -lc ls', 'agent_message completed']);
  const again = { sessionId: review['sessionId'], message: script([{ message: 'thanks' }]), waitSeconds: 50 };
  expect(await client.call('codex_say', again)).toMatchObject({ status: 'done', result: 'thanks' });
});

test('a running review can be interrupted', async () => {
  const { client } = shared;
  const instructions = script([{ hang: true }]);
  const { sessionId, status } = await client.call('codex_review', { target: 'custom', instructions });
  expect(status).toBe('active');
  expect(await client.call('codex_interrupt', { sessionId })).toMatchObject({ status: 'interrupted' });
});

test('a review requires the argument that its target needs', async () => {
  const { client } = shared;
  for (const [target, needed] of [
    ['custom', 'instructions'],
    ['base', 'base'],
    ['commit', 'commit'],
  ])
    expect(await client.failure('codex_review', { target })).toBe(`This target requires ${needed}.`);
  expect(await client.failure('codex_review', { target: 'everything' })).toContain('target');
});

test('the diff contains the changes of the last turn, in a format that git accepts', async () => {
  const { client } = shared;
  const { workDir } = shared.testbed.home;
  writeFileSync(join(workDir, 'base.txt'), 'one\ntwo\n');
  const update = '*** Begin Patch\n*** Update File: base.txt\n@@\n one\n-two\n+TWO\n*** End Patch';
  const flow = await start(client, [adding('diffed.txt', 'hello'), { patch: update }, { message: 'done' }]);
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  const changed = await client.call('codex_diff', { sessionId: flow.id });
  expect(changed).toMatchObject({
    sessionId: flow.id,
    files: [
      { path: join(workDir, 'diffed.txt'), kind: 'add' },
      { path: join(workDir, 'base.txt'), kind: 'update' },
    ],
  });
  const diff = String(changed['diff']);
  expect(diff).toContain('+hello');
  expect(diff).toContain('-two\n+TWO');
  // Reverting the diff restores the original files.
  execFileSync('git', ['apply', '--reverse', '--unsafe-paths', '--verbose'], {
    cwd: workDir,
    input: diff,
    stdio: 'pipe',
  });
  expect(readFileSync(join(workDir, 'base.txt'), 'utf8')).toBe('one\ntwo\n');
  await flow.say([{ message: 'nothing' }], { waitSeconds: 50 });
  expect(await client.call('codex_diff', { sessionId: flow.id })).toEqual({ sessionId: flow.id, diff: '', files: [] });
});

test('git also accepts the diff of a stored session', async () => {
  const { testbed, client } = shared;
  const { workDir } = testbed.home;
  const other = await testbed.serve();
  writeFileSync(join(workDir, 'old name.txt'), 'one\ntwo\n');
  writeFileSync(join(workDir, 'gone.txt'), 'gone');
  const update = '*** Begin Patch\n*** Update File: kept.txt\n@@\n-kept\n+changed\n*** End Patch';
  const move =
    '*** Begin Patch\n*** Update File: old name.txt\n*** Move to: new name.txt\n@@\n-one\n+ONE\n*** End Patch';
  const remove = '*** Begin Patch\n*** Delete File: gone.txt\n*** End Patch';
  const steps = [update, move, remove].map((patch) => ({ patch }));
  const { sessionId } = await run(other, [adding('kept.txt', 'kept'), ...steps, { message: 'done' }]);
  await other.close();
  const changed = await client.call('codex_diff', { sessionId });
  expect(changed).toEqual({
    sessionId,
    diff: expect.stringContaining('--- /dev/null\n+++ b/kept.txt\n@@ -0,0 +1,1 @@\n+kept\n'),
    files: [
      { path: join(workDir, 'kept.txt'), kind: 'add' },
      { path: join(workDir, 'old name.txt'), kind: 'update' },
      { path: join(workDir, 'gone.txt'), kind: 'delete' },
    ],
  });
  for (const name of ['kept.txt', 'new name.txt']) rmSync(join(workDir, name));
  writeFileSync(join(workDir, 'old name.txt'), 'one\ntwo\n');
  writeFileSync(join(workDir, 'gone.txt'), 'gone');
  // Applying the diff gives the files as Codex left them.
  execFileSync('git', ['apply', '--verbose'], { cwd: workDir, input: String(changed['diff']), stdio: 'pipe' });
  const contents = ['kept.txt', 'new name.txt'].map((name) => readFileSync(join(workDir, name), 'utf8'));
  expect(contents).toEqual(['changed\n', 'ONE\ntwo\n']);
  expect(['gone.txt', 'old name.txt'].filter((name) => existsSync(join(workDir, name)))).toEqual([]);
});

test('without an app-server the diff comes from the working tree', async () => {
  const { testbed } = shared;
  const client = await testbed.serve({ args: ['--tools', 'full', '--engine', 'exec'] });
  const { sessionId } = await run(client, [adding('by-exec.txt', 'hi'), { message: 'done' }]);
  expect(await client.call('codex_diff', { sessionId })).toEqual({
    sessionId,
    diff: expect.stringContaining('+++ b/by-exec.txt\n@@ -0,0 +1 @@\n+hi\n'),
    files: [{ path: join(testbed.home.workDir, 'by-exec.txt'), kind: 'add' }],
  });
});

test('a page stays within its limit, and the cursor leads to every omitted turn', async () => {
  const { client } = shared;
  const texts = Array.from({ length: 3 }, (_, index) => `${index} ${'z'.repeat(3_900)}`);
  const long = Array.from({ length: 30 }, (_, index) => ({ message: `${index} ${'y'.repeat(5_000)}` }));
  const flow = await start(client, [{ message: texts[0] ?? '' }]);
  await flow.settled();
  await flow.say(long, { waitSeconds: 50 });
  await flow.say([{ message: texts[2] ?? '' }], { waitSeconds: 50 });
  const pages = [];
  let cursor: unknown;
  do {
    const page = await client.call('codex_read', { sessionId: flow.id, ...(cursor === undefined ? {} : { cursor }) });
    expect(JSON.stringify(page).length).toBeLessThan(80_000);
    pages.push(page);
    cursor = page['nextCursor'];
  } while (cursor !== undefined && pages.length < 9);
  const last = (page: JsonObject) => objectsOf(objectsOf(page['turns']).at(-1)?.['entries']).at(-1)?.['text'];
  expect(pages.map((page) => [page['truncated'], String(last(page)).slice(0, 2).trim()])).toEqual([
    [undefined, '2'],
    [true, '29'],
    [undefined, '0'],
  ]);
});

test('a session is read in pages without being resumed', async () => {
  const { testbed, client } = shared;
  const other = await testbed.serve();
  const flow = await start(other, [{ message: 'one' }]);
  await flow.settled();
  await flow.say([{ shell: 'echo hi' }, { message: 'two' }], { waitSeconds: 50 });
  await flow.say([{ error: 400 }], { waitSeconds: 50 });
  await other.close();
  const args = { sessionId: flow.id, limit: 2 };
  const last = await client.call('codex_read', args);
  expect(last).toMatchObject({
    sessionId: flow.id,
    workingDirectory: testbed.home.workDir,
    turns: [
      {
        status: 'completed',
        entries: [
          { role: 'user', type: 'user_message' },
          { role: 'codex', type: 'command_execution', text: "/bin/bash -lc 'echo hi'" },
          { role: 'codex', type: 'agent_message', text: 'two' },
        ],
      },
      { status: 'failed', error: { kind: expect.any(String) } },
    ],
  });
  const first = await client.call('codex_read', { ...args, cursor: last['nextCursor'] });
  expect(first).toMatchObject({ turns: [{ entries: [{ role: 'user' }, { role: 'codex', text: 'one' }] }] });
  expect(Object.keys(first)).not.toContain('nextCursor');
  const listed = objectsOf((await client.call('codex_list', { limit: 50 }))['sessions']);
  expect(listed.find((session) => session['sessionId'] === flow.id)).not.toHaveProperty('activeStatus');
  const nobody = '01a10000-0000-7000-8000-000000000000';
  expect(await client.failure('codex_read', { sessionId: nobody })).toContain(`There is no session ${nobody}`);
});

test.runIf(process.platform === 'linux')(
  'a session running in another Codex is read in its current state',
  async () => {
    const { testbed, client } = shared;
    const other = await testbed.serve();
    const flow = await start(other, [{ message: 'on it' }, { shell: 'true' }, { hang: true }]);
    await vi.waitFor(() => expect(requestsOf(testbed.model, flow.id)).toHaveLength(2), 30_000);
    const page = await client.call('codex_read', { sessionId: flow.id });
    expect(page).toMatchObject({ heldElsewhere: true, turns: [{ status: 'running' }] });
    await other.close();
  },
);

test('lists the models of Codex, with one default', async () => {
  const { models } = await shared.client.call('codex_models');
  const list = objectsOf(models);
  expect(list.length).toBeGreaterThan(0);
  expect(list[0]).toMatchObject({ id: expect.any(String), name: expect.any(String), efforts: expect.any(Array) });
  expect(list.filter(({ isDefault }) => isDefault === true)).toHaveLength(1);
});

test('reports usage per session and in total', async () => {
  const { client } = shared;
  const usage = { input_tokens: 1000, cached_input_tokens: 100, output_tokens: 50, reasoning_output_tokens: 5 };
  const before = member(await client.call('codex_usage'), 'total');
  const { sessionId } = await run(client, [{ usage }, { message: 'x' }]);
  const reported = { inputTokens: 1000, cachedInputTokens: 100, outputTokens: 50, reasoningOutputTokens: 5 };
  expect(await client.call('codex_usage', { sessionId })).toMatchObject({
    sessions: [{ sessionId, usage: reported, turnUsage: reported, turnCount: 1 }],
    total: reported,
    rateLimitsUnknown: expect.stringContaining('authentication required'),
  });
  const after = await client.call('codex_usage');
  expect(member(after, 'total')).toEqual(
    Object.fromEntries(Object.entries(reported).map(([name, count]) => [name, count + Number(before[name])])),
  );
  expect(objectsOf(after['sessions']).some((session) => session['sessionId'] === sessionId)).toBe(true);
  expect(await client.failure('codex_usage', { sessionId: 'nobody' })).toContain(
    'No turn of session nobody has run in this server.',
  );
});
