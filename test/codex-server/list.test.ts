import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runCodexExec } from '../codex/exec.ts';
import { type JsonObject, objectsOf } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { follow, requestsOf, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';
import { eventually, FREE } from './testbed.ts';

const shared = shareTestbed();
const list = async (args: JsonObject = {}) => objectsOf((await shared.client.call('codex_list', args))['sessions']);
const idsOf = (sessions: readonly JsonObject[]) => sessions.map((session) => session['sessionId']);
let own = '';
let inner = '';
let byExec = '';

beforeAll(async () => {
  const { client, testbed } = shared;
  await mkdir(join(testbed.home.workDir, 'inner'));
  await symlink(join(testbed.home.workDir, 'inner'), join(testbed.home.rootDir, 'link'));
  byExec = await runExec('by exec ');
  const started = async (text: string, args: JsonObject) => {
    const given = { ...FREE, prompt: script([{ message: 'hello' }], text), waitSeconds: 50 };
    return String((await client.call('codex_start', { ...given, ...args }))['sessionId']);
  };
  await nextSecond();
  inner = await started('in the inner folder ', { workingDirectory: 'inner', name: 'The Inner One' });
  await nextSecond();
  own = await started('of our own\nwith lines ', {});
});

verifies(
  ['codex:list:all', 'codex:list:source', 'codex:list:order', 'codex:list:fields', 'codex:list:active-status'],
  'lists sessions of all folders and sources, most recent first',
  async () => {
    const { workDir } = shared.testbed.home;
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/u);
    const known = (await list()).filter(({ sessionId }) => [own, inner, byExec].includes(String(sessionId)));
    expect(known).toEqual([
      {
        sessionId: own,
        timestamp,
        directory: workDir,
        summary: expect.stringMatching(/^of our own with lines \[\[fake/u),
        source: 'vscode',
        isActive: false,
        activeStatus: 'done',
      },
      {
        sessionId: inner,
        timestamp,
        directory: join(workDir, 'inner'),
        summary: expect.stringMatching(/^in the inner folder/u),
        name: 'The Inner One',
        source: 'vscode',
        isActive: false,
        activeStatus: 'done',
      },
      {
        sessionId: byExec,
        timestamp,
        directory: workDir,
        summary: expect.stringMatching(/^by exec/u),
        source: 'exec',
        isActive: false,
      },
    ]);
  },
);

verifies(
  'codex:list:directory-filter',
  'lists only the sessions of a given folder, even through a symlink',
  async () => {
    const { workDir, rootDir } = shared.testbed.home;
    const ofFolder = idsOf(await list({ workingDirectory: workDir }));
    expect(ofFolder).toEqual(expect.arrayContaining([own, byExec]));
    expect(ofFolder).not.toContain(inner);
    expect(idsOf(await list({ workingDirectory: 'inner' }))).toEqual([inner]);
    expect(idsOf(await list({ workingDirectory: join(rootDir, 'link') }))).toEqual([inner]);
    expect(idsOf(await list({ workingDirectory: `${workDir}/inner/` }))).toEqual([inner]);
    expect(idsOf(await list({ workingDirectory: rootDir }))).toEqual([]);
    expect(idsOf(await list({ workingDirectory: 'nowhere' }))).toEqual([]);
  },
);

test('a session started through a symlink is listed under the real folder', async () => {
  const { workDir, rootDir } = shared.testbed.home;
  await mkdir(join(workDir, 'linked'), { recursive: true });
  await symlink(join(workDir, 'linked'), join(rootDir, 'way'));
  const flow = await start(shared.client, [{ message: 'hi' }], { workingDirectory: join(rootDir, 'way') });
  await flow.settled();
  expect(idsOf(await list({ workingDirectory: join(workDir, 'linked') }))).toEqual([flow.id]);
});

test('sessions of a deleted folder are still listed', async () => {
  const gone = join(shared.testbed.home.workDir, 'gone');
  await mkdir(gone);
  const flow = await start(shared.client, [{ message: 'hi' }], { workingDirectory: gone });
  await flow.settled();
  await rm(gone, { recursive: true });
  expect(idsOf(await list({ workingDirectory: gone }))).toEqual([flow.id]);
});

test('search matches names and first prompts', async () => {
  expect(idsOf(await list({ search: 'The Inner' }))).toEqual([inner]);
  expect(idsOf(await list({ search: 'by exec' }))).toEqual([byExec]);
  expect(idsOf(await list({ search: 'nobody ever said' }))).toEqual([]);
});

verifies(
  'codex:list:limit',
  'a page has at most the requested number of sessions, and a cursor to the next page',
  async () => {
    const all = idsOf(await list());
    const pages: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await shared.client.call('codex_list', { limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      expect(objectsOf(page['sessions']).length).toBeLessThanOrEqual(1);
      pages.push(...idsOf(objectsOf(page['sessions'])));
      cursor = page['nextCursor'];
    } while (cursor !== undefined && pages.length < 20);
    expect(pages).toEqual(all);
    expect(await list({ limit: 0 })).toHaveLength(1);
    expect(await shared.client.failure('codex_list', { limit: 'all' })).toContain('limit');
  },
);

verifies(
  ['codex:list:active', 'codex:list:active-status'],
  'only a session with a running turn is active',
  async () => {
    const steps = [{ shell: 'touch listed.txt' }, { message: 'done' }];
    const flow = await start(shared.client, steps, { approvalPolicy: 'untrusted' });
    await flow.question();
    const listed = await list();
    expect(listed[0]).toMatchObject({ sessionId: flow.id, isActive: true, activeStatus: 'awaiting_approval' });
    expect(listed.slice(1).some((session) => session['isActive'] === true)).toBe(false);
    await flow.interrupt();
    const after = (await list()).find((session) => session['sessionId'] === flow.id);
    expect(after).toMatchObject({ isActive: false, activeStatus: 'interrupted' });
  },
);

verifies('codex:list:resumable', 'every listed session can be continued', async () => {
  // One of its own, because a continued session moves to the top of the list.
  const sessionId = await runExec('to be continued ');
  expect(idsOf(await list())).toContain(sessionId);
  const flow = follow(shared.client, sessionId);
  expect(await flow.say([{ message: 'continued' }], { waitSeconds: 50 })).toMatchObject({
    status: 'done',
    result: 'continued',
  });
  expect(requestsOf(shared.testbed.model, sessionId)).toHaveLength(2);
});

test('an invalid file in the sessions folder hides no session', async () => {
  const { codexDir } = shared.testbed.home;
  const before = idsOf(await list());
  await writeFile(join(codexDir, 'sessions', 'rollout-nonsense.jsonl'), '{"this is": not JSON\n');
  await writeFile(join(codexDir, 'thread-writer-locks', 'nonsense.lock'), '');
  expect(idsOf(await list())).toEqual(before);
});

/** Runs `codex exec` and returns the id of its session. */
async function runExec(text: string): Promise<string> {
  const prompt = script([{ message: 'hello' }], text);
  const { events } = await runCodexExec({ home: shared.testbed.home, prompt, timeoutMs: 50_000 });
  return String(events[0]?.['thread_id']);
}

/** Codex stores times in whole seconds, so sessions of one second have no order. */
async function nextSecond(): Promise<void> {
  const before = Math.floor(Date.now() / 1000);
  await eventually(() => Math.floor(Date.now() / 1000) > before);
}
