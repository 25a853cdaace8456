import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { openLimitedTestbed, runs, scriptPrompt } from './limits-testbed.ts';
import { eventually, FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();

test('a session cannot swap the folder of a session on another server', async () => {
  await using testbed = await openLimitedTestbed(processes);
  const inner = join(testbed.root, 'sw');
  mkdirSync(inner);
  const [one, two] = [await testbed.limited(), await testbed.limited()];
  const waits = { ...FREE, prompt: runs('touch began; sleep 60') };
  const { sessionId } = await one.call('codex_start', waits);
  await eventually(() => existsSync(join(testbed.root, 'began')) || undefined);
  const below = { ...FREE, workingDirectory: inner, prompt: scriptPrompt(), waitSeconds: 50 };
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
  expect(readdirSync(join(testbed.own, 'codex-folders'))).toEqual([]);
});
