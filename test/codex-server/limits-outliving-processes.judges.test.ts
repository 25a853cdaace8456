import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { script } from '../codex/script.ts';
import { trackProcesses } from '../processes.ts';
import { openLimitedTestbed, runs, scriptPrompt } from './limits-testbed.ts';
import { type CodexRelease, eventually, FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();
// The sandbox of 0.92 does not end with the command: a process that left its group and environment keeps running.
const RELEASES: readonly CodexRelease[] = ['current', 'previous'];

test('an agent that outlives its turn is stopped before another session works below its folder', async () => {
  await using testbed = await openLimitedTestbed(processes, {
    model: 'mystery-1',
    extra: { features: { multi_agent: true } },
  });
  const inner = join(testbed.root, 'sw');
  mkdirSync(inner);
  const [began, go] = [join(testbed.root, 'began'), join(inner, 'go')];
  const agent = script([
    { shell: `touch ${began}; sleep 1` },
    { shell: `until [ -e ${go} ]; do sleep 0.1; done; mv sw old; ln -s ${testbed.outside} sw; touch swapped` },
    { message: 'swapped' },
  ]);
  const client = await testbed.limited();
  const sends = scriptPrompt({ tool: { name: 'spawn_agent', arguments: { message: agent } } });
  expect(await client.call('codex_start', { ...FREE, prompt: sends, waitSeconds: 50 })).toMatchObject({
    status: 'done',
  });
  await eventually(() => existsSync(began) || undefined);
  const late = scriptPrompt({ shell: `touch ${go}; sleep 3` }, { shell: `touch here ${testbed.outside}/there` });
  const start = { ...FREE, workingDirectory: inner, prompt: late, waitSeconds: 50 };
  expect(await client.call('codex_start', start)).toMatchObject({ status: 'done' });

  expect([readdirSync(testbed.outside), existsSync(join(testbed.root, 'swapped'))]).toEqual([[], false]);
  expect(readdirSync(inner).toSorted()).toEqual(expect.arrayContaining(['go', 'here']));
});

test.each(RELEASES)('a process without the mark of its session does not outlive its command: %s', async (release) => {
  await using testbed = await openLimitedTestbed(processes, { release });
  const inner = join(testbed.root, 'sw');
  mkdirSync(inner);
  const client = await testbed.limited();
  const swaps = `cd ${testbed.root}; touch began; for i in $(seq 300); do [ -e go ] && break; sleep 0.1; done; [ -e go ] && mv sw old && ln -s ${testbed.outside} sw; touch swapped`;
  const leaves = runs(
    `env -i setsid -f /bin/sh -c '${swaps}' > /dev/null 2>&1 < /dev/null; until [ -e began ]; do sleep 0.1; done`,
  );
  await client.call('codex_start', { ...FREE, prompt: leaves, waitSeconds: 50 });
  expect(existsSync(join(testbed.root, 'began'))).toBe(true);
  const late = scriptPrompt({ shell: 'touch began; sleep 3' }, { shell: `touch here ${testbed.outside}/there` });
  const { sessionId } = await client.call('codex_start', { ...FREE, workingDirectory: inner, prompt: late });
  await eventually(() => existsSync(join(inner, 'began')) || undefined);
  writeFileSync(join(testbed.root, 'go'), '');
  await client.call('codex_wait', { sessionIds: [sessionId], timeoutSeconds: 50 });

  expect([readdirSync(testbed.outside), existsSync(join(testbed.root, 'swapped'))]).toEqual([[], false]);
});

test('sessions have no tool to set a goal, which would start unchecked turns', async () => {
  await using testbed = await openLimitedTestbed(processes);
  const client = await testbed.limited();
  await client.call('codex_start', { ...FREE, prompt: scriptPrompt(), waitSeconds: 50 });
  const names = testbed.model.requests.at(-1)?.tools.map((tool) => tool['name']) ?? [];

  expect(names).toContain('exec_command');
  expect(names).not.toContain('create_goal');
});

test('named pipes in a repository do not block a start', async () => {
  await using testbed = await openLimitedTestbed(processes);
  const client = await testbed.limited();
  for (const name of ['commondir', 'config', 'info/exclude', 'index', 'HEAD']) {
    const workingDirectory = join(testbed.root, name.replace('/', '-'));
    mkdirSync(join(workingDirectory, '.git', 'info'), { recursive: true });
    if (name !== 'HEAD') writeFileSync(join(workingDirectory, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    execFileSync('mkfifo', [join(workingDirectory, '.git', name)]);
    const start = { ...FREE, workingDirectory, prompt: runs('echo hi > file'), waitSeconds: 50 };
    expect(await client.call('codex_start', start)).toMatchObject({ status: 'done' });
  }
});
