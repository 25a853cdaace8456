import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { openLimitedWorld, plays, runs } from './limits-world.ts';
import { eventually, FREE } from './world.ts';

vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();

test('a session cannot swap the folder of a session on another server', async () => {
  await using world = await openLimitedWorld(processes);
  const inner = join(world.root, 'sw');
  mkdirSync(inner);
  const [one, two] = [await world.limited(), await world.limited()];
  const waits = { ...FREE, prompt: runs('touch began; sleep 60') };
  const { sessionId } = await one.call('codex_start', waits);
  await eventually(() => existsSync(join(world.root, 'began')) || undefined);
  const below = { ...FREE, workingDirectory: inner, prompt: plays(), waitSeconds: 50 };
  expect(await two.failure('codex_start', below)).toContain('A session of another server works in');
  await one.call('codex_interrupt', { sessionId });
  expect(await two.call('codex_start', below)).toMatchObject({ status: 'done' });

  // A killed server blocks nobody.
  await one.call('codex_start', waits);
  expect(await two.failure('codex_start', below)).toContain('A session of another server works in');
  one.kill('SIGKILL');
  await one.exited;
  expect(await two.call('codex_start', below)).toMatchObject({ status: 'done' });
  await two.close();
  expect(readdirSync(join(world.own, 'codex-folders'))).toEqual([]);
});
