import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCodexExec } from '../codex/exec.ts';
import { isObject } from '../codex/json.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedTestbed, openLimitedTestbed, runs, scriptPrompt } from './limits-testbed.ts';
import { type CodexRelease, FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();
const RELEASES: readonly CodexRelease[] = ['current', 'previous', 'old'];
const written = (testbed: LimitedTestbed) => readdirSync(testbed.outside);

/** Makes `link` point outside, then writes there with separate commands. */
const redirectLink = (testbed: LimitedTestbed, link: string) =>
  scriptPrompt(
    { shell: `rm -rf ${link}; ln -s ${testbed.outside} ${link}` },
    { shell: `touch ${link}/by-link` },
    { shell: `touch ${testbed.outside}/by-name` },
  );

test.each(RELEASES)('a session started through a symlink in its own folder cannot redirect it: %s', async (release) => {
  await using testbed = await openLimitedTestbed(processes, { release });
  const folder = join(testbed.root, 'folder');
  const link = join(folder, 'self');
  mkdirSync(folder);
  for (const engine of ['app-server', 'exec']) {
    symlinkSync(folder, link);
    const client = await testbed.limited({ args: ['--allow-root', testbed.root, '--engine', engine] });
    const start = { ...FREE, workingDirectory: link, prompt: redirectLink(testbed, link), waitSeconds: 50 };
    const { sessionId } = await client.call('codex_start', start);
    await client.result('codex_say', { sessionId, message: redirectLink(testbed, link), waitSeconds: 50 });
    await client.result('codex', { cwd: link, sandbox: 'workspace-write', prompt: redirectLink(testbed, link) });
    await client.close();
    expect([engine, written(testbed)]).toEqual([engine, []]);
    rmSync(link, { force: true });
  }
});

test('a symlink in the folder of another session cannot redirect a session', async () => {
  await using testbed = await openLimitedTestbed(processes);
  const [one, two] = [join(testbed.root, 'one'), join(testbed.root, 'two')];
  for (const folder of [one, two]) mkdirSync(folder);
  const link = join(one, 'link');
  symlinkSync(two, link);
  const client = await testbed.limited();
  const [go, swapped] = [join(two, 'go'), join(one, 'swapped')];
  const swaps = runs(
    `until [ -e ${go} ]; do sleep 0.1; done; rm link; ln -s ${testbed.outside} link; touch ${swapped}`,
  );
  const first = await client.call('codex_start', { ...FREE, workingDirectory: one, prompt: swaps });
  const waits = scriptPrompt(
    { shell: `touch ${go}; until [ -e ${swapped} ]; do sleep 0.1; done` },
    { shell: `touch here; touch ${link}/there; touch ${testbed.outside}/outside` },
  );
  const second = await client.call('codex_start', { ...FREE, workingDirectory: link, prompt: waits, waitSeconds: 50 });
  await client.call('codex_wait', { sessionIds: [first['sessionId']], timeoutSeconds: 50 });

  expect(second).toMatchObject({ status: 'done' });
  expect([written(testbed), readdirSync(two).toSorted()]).toEqual([[], ['go', 'here']]);
});

test.each(RELEASES)('a stored session started through a symlink continues in the real folder: %s', async (release) => {
  await using testbed = await openLimitedTestbed(processes, { release });
  const { home, root } = testbed;
  const folder = join(root, 'folder');
  const link = join(folder, 'self');
  mkdirSync(folder);
  symlinkSync(folder, link);
  const args = ['-s', 'workspace-write', '--cd', link];
  const { events } = await runCodexExec({ home, prompt: scriptPrompt(), args, timeoutMs: 50_000 });
  const sessionId = String(events.find(({ type }) => type === 'thread.started')?.['thread_id']);
  for (const engine of ['app-server', 'exec']) {
    const client = await testbed.limited({ args: ['--allow-root', root, '--engine', engine] });
    const message = redirectLink(testbed, link);
    const reply = await client.result('codex_say', { sessionId, message, sandbox: 'workspace-write', waitSeconds: 50 });
    expect(isObject(reply['structuredContent'])).toBe(true);
    await client.result('codex_fork', { sessionId, message, waitSeconds: 50 });
    await client.close();
    expect([engine, written(testbed)]).toEqual([engine, []]);
    rmSync(link, { force: true });
    symlinkSync(folder, link);
  }
});

test("a session cannot replace a folder in its working folder that the user's config makes writable", async () => {
  await using testbed = await openLimitedTestbed(processes);
  const inner = join(testbed.root, 'build');
  mkdirSync(inner);
  const config = join(testbed.home.codexDir, 'config.toml');
  await writeFile(
    config,
    `${await readFile(config, 'utf8')}\n[sandbox_workspace_write]\nwritable_roots = ["${inner}"]\n`,
  );
  const client = await testbed.limited();
  const reported = await client.failure('codex_start', {
    ...FREE,
    prompt: redirectLink(testbed, inner),
    waitSeconds: 50,
  });

  expect(reported).toContain('could replace the inner folder with a link');
  expect(written(testbed)).toEqual([]);
});
