import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { type LimitedTestbed, openLimitedTestbed, scriptPrompt } from './limits-testbed.ts';
import { type CodexClient, eventually, FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();

/** Starts a session whose first turn leaves a command running that will replace the folder `sw`. Runs another turn. */
async function leaveFolderSwapperRunning(
  client: CodexClient,
  { root, outside }: LimitedTestbed,
  more: object,
): Promise<string> {
  mkdirSync(join(root, 'sw'));
  const swaps = `touch began; until [ -e sw/go ]; do sleep 0.1; done; mv sw old; ln -s ${outside} sw; touch swapped`;
  const leaves = scriptPrompt({ shell: swaps, options: { yield_time_ms: 250 } });
  const { sessionId = '' } = await client.call('codex_start', { ...FREE, prompt: leaves, waitSeconds: 50 });
  await eventually(() => existsSync(join(root, 'began')) || undefined);
  const reply = await client.call('codex_say', { sessionId, message: scriptPrompt(), waitSeconds: 50, ...more });
  expect(reply).toMatchObject({ status: 'done' });
  return String(sessionId);
}

const below = ({ root, outside }: LimitedTestbed) => ({
  ...FREE,
  workingDirectory: join(root, 'sw'),
  prompt: scriptPrompt({ shell: 'touch go; sleep 3' }, { shell: `touch here ${outside}/there` }),
  waitSeconds: 50,
});

test.each([{}, { sandbox: 'read-only' }])(
  'a command that an earlier turn left running is stopped before another session starts below its folder: %j',
  async (more) => {
    await using testbed = await openLimitedTestbed(processes);
    const client = await testbed.limited();
    await leaveFolderSwapperRunning(client, testbed, more);
    expect(await client.call('codex_start', below(testbed))).toMatchObject({ status: 'done' });

    expect([readdirSync(testbed.outside), existsSync(join(testbed.root, 'swapped'))]).toEqual([[], false]);
  },
);

test.each([{}, { sandbox: 'read-only' }])(
  'while a command of an earlier turn is running, no session of another server can start below its folder: %j',
  async (more) => {
    await using testbed = await openLimitedTestbed(processes);
    const [one, two] = [await testbed.limited(), await testbed.limited()];
    const sessionId = await leaveFolderSwapperRunning(one, testbed, more);
    expect(await two.failure('codex_start', below(testbed))).toContain('A session of another server works in');
    await one.call('codex_interrupt', { sessionId });
    expect(await two.call('codex_start', below(testbed))).toMatchObject({ status: 'done' });

    expect([readdirSync(testbed.outside), existsSync(join(testbed.root, 'swapped'))]).toEqual([[], false]);
  },
);
