import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCodexExec } from '../codex/exec.ts';
import { isObject } from '../codex/json.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedWorld, openLimitedWorld, plays, runs } from './limits-world.ts';
import { type CodexAge, FREE } from './world.ts';

vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();
const AGES: readonly CodexAge[] = ['today', 'middle', 'old'];
const written = (world: LimitedWorld) => readdirSync(world.outside);

/** Makes `link` point outside, then writes there with separate commands. */
const turnsAway = (world: LimitedWorld, link: string) =>
  plays(
    { shell: `rm -rf ${link}; ln -s ${world.outside} ${link}` },
    { shell: `touch ${link}/by-link` },
    { shell: `touch ${world.outside}/by-name` },
  );

test.each(AGES)('a session started through a symlink in its own folder cannot redirect it: %s', async (age) => {
  await using world = await openLimitedWorld(processes, { age });
  const folder = join(world.root, 'folder');
  const link = join(folder, 'self');
  mkdirSync(folder);
  for (const engine of ['app-server', 'exec']) {
    symlinkSync(folder, link);
    const client = await world.limited({ args: ['--allow-root', world.root, '--engine', engine] });
    const start = { ...FREE, workingDirectory: link, prompt: turnsAway(world, link), waitSeconds: 50 };
    const { sessionId } = await client.call('codex_start', start);
    await client.result('codex_say', { sessionId, message: turnsAway(world, link), waitSeconds: 50 });
    await client.result('codex', { cwd: link, sandbox: 'workspace-write', prompt: turnsAway(world, link) });
    await client.close();
    expect([engine, written(world)]).toEqual([engine, []]);
    rmSync(link, { force: true });
  }
});

test('a symlink in the folder of another session cannot redirect a session', async () => {
  await using world = await openLimitedWorld(processes);
  const [one, two] = [join(world.root, 'one'), join(world.root, 'two')];
  for (const folder of [one, two]) mkdirSync(folder);
  const link = join(one, 'link');
  symlinkSync(two, link);
  const client = await world.limited();
  const [go, swapped] = [join(two, 'go'), join(one, 'swapped')];
  const swaps = runs(`until [ -e ${go} ]; do sleep 0.1; done; rm link; ln -s ${world.outside} link; touch ${swapped}`);
  const first = await client.call('codex_start', { ...FREE, workingDirectory: one, prompt: swaps });
  const waits = plays(
    { shell: `touch ${go}; until [ -e ${swapped} ]; do sleep 0.1; done` },
    { shell: `touch here; touch ${link}/there; touch ${world.outside}/outside` },
  );
  const second = await client.call('codex_start', { ...FREE, workingDirectory: link, prompt: waits, waitSeconds: 50 });
  await client.call('codex_wait', { sessionIds: [first['sessionId']], timeoutSeconds: 50 });

  expect(second).toMatchObject({ status: 'done' });
  expect([written(world), readdirSync(two).toSorted()]).toEqual([[], ['go', 'here']]);
});

test.each(AGES)('a stored session started through a symlink continues in the real folder: %s', async (age) => {
  await using world = await openLimitedWorld(processes, { age });
  const { home, root } = world;
  const folder = join(root, 'folder');
  const link = join(folder, 'self');
  mkdirSync(folder);
  symlinkSync(folder, link);
  const args = ['-s', 'workspace-write', '--cd', link];
  const { events } = await runCodexExec({ home, prompt: plays(), args, timeoutMs: 50_000 });
  const sessionId = String(events.find(({ type }) => type === 'thread.started')?.['thread_id']);
  for (const engine of ['app-server', 'exec']) {
    const client = await world.limited({ args: ['--allow-root', root, '--engine', engine] });
    const message = turnsAway(world, link);
    const said = await client.result('codex_say', { sessionId, message, sandbox: 'workspace-write', waitSeconds: 50 });
    expect(isObject(said['structuredContent'])).toBe(true);
    await client.result('codex_fork', { sessionId, message, waitSeconds: 50 });
    await client.close();
    expect([engine, written(world)]).toEqual([engine, []]);
    rmSync(link, { force: true });
    symlinkSync(folder, link);
  }
});

test("a session cannot replace a folder in its working folder that the user's config makes writable", async () => {
  await using world = await openLimitedWorld(processes);
  const inner = join(world.root, 'build');
  mkdirSync(inner);
  const config = join(world.home.codexDir, 'config.toml');
  await writeFile(
    config,
    `${await readFile(config, 'utf8')}\n[sandbox_workspace_write]\nwritable_roots = ["${inner}"]\n`,
  );
  const client = await world.limited();
  const told = await client.failure('codex_start', { ...FREE, prompt: turnsAway(world, inner), waitSeconds: 50 });

  expect(told).toContain('could replace the inner folder with a link');
  expect(written(world)).toEqual([]);
});
