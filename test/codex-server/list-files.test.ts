import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { runCodexExec } from '../codex/exec.ts';
import { type JsonObject, objectsOf } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { run } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

const shared = shareTestbed({}, { args: ['--engine', 'exec'] });
const list = async (args: JsonObject = {}) => objectsOf((await shared.client.call('codex_list', args))['sessions']);
let byExec = '';
let byAppServer = '';

beforeAll(async () => {
  const { testbed } = shared;
  const prompt = script([{ message: 'hello' }], 'by exec ');
  const ran = await runCodexExec({ home: testbed.home, prompt, timeoutMs: 50_000 });
  byExec = String(ran.events[0]?.['thread_id']);
  await mkdir(join(testbed.home.workDir, 'inner'));
  const other = await testbed.serve();
  const { sessionId } = await run(other, [{ message: 'hello' }], { workingDirectory: 'inner' });
  byAppServer = String(sessionId);
  await other.close();
});

verifies('codex:list:fallback', 'without an app-server, sessions are read from their files', async () => {
  const { workDir } = shared.testbed.home;
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
  expect(await list()).toEqual([
    expect.objectContaining({
      sessionId: byAppServer,
      timestamp,
      directory: join(workDir, 'inner'),
      summary: expect.stringContaining('[[fake'),
      isActive: false,
    }),
    expect.objectContaining({
      sessionId: byExec,
      timestamp,
      directory: workDir,
      summary: expect.stringMatching(/^by exec/u),
      isActive: false,
    }),
  ]);
  const found = async (args: JsonObject) => (await list(args)).map((session) => session['sessionId']);
  expect(await found({ workingDirectory: workDir })).toEqual([byExec]);
  expect(await found({ workingDirectory: 'inner' })).toEqual([byAppServer]);
  expect(await found({ search: 'by exec' })).toEqual([byExec]);
  expect(await found({ limit: 1 })).toEqual([byAppServer]);
});

verifies('codex:list:damaged-files', 'a damaged or unknown file does not hide the other sessions', async () => {
  const current = new Date().toISOString().slice(0, 10).split('-');
  const folder = join(shared.testbed.home.codexDir, 'sessions', ...current);
  await mkdir(folder, { recursive: true });
  const name = (id: string) => join(folder, `rollout-2026-01-01T00-00-00-${id}.jsonl`);
  await writeFile(name('01a10000-0000-7000-8000-000000000001'), '');
  await writeFile(name('01a10000-0000-7000-8000-000000000002'), '{"half a line": ');
  await writeFile(name('01a10000-0000-7000-8000-000000000003'), Buffer.from([0, 255, 254, 10, 0, 200]));
  await writeFile(name('01a10000-0000-7000-8000-000000000004'), `${JSON.stringify({ type: 'from the future' })}\n`);
  await writeFile(join(folder, 'notes.txt'), 'no session');
  await mkdir(name('01a10000-0000-7000-8000-000000000005'));
  const ids = (await list()).map((session) => session['sessionId']);
  expect(ids.filter((id) => id === byExec || id === byAppServer)).toEqual([byAppServer, byExec]);
});
