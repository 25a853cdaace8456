import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { script } from '../codex/script.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { FREE, openTestbed } from './testbed.ts';

const processes = trackProcesses();
const engines = () => processes.alive().filter(({ command }) => /\bapp-server\b/.test(command));

verifies('codex:engine:app-server', 'one Codex process serves all sessions', async () => {
  await using testbed = await openTestbed(processes);
  const client = await testbed.serve();
  expect(engines()).toEqual([]);
  const prompts = ['one', 'two', 'three'].map((message) => script([{ message }]));
  const started = await Promise.all(prompts.map((prompt) => client.call('codex_start', { ...FREE, prompt })));
  const sessionIds = started.map(({ sessionId }) => String(sessionId));
  const { sessions } = await client.call('codex_wait', { sessionIds });

  expect(sessions).toMatchObject([{ result: 'one' }, { result: 'two' }, { result: 'three' }]);
  expect(engines()).toHaveLength(1);
});

verifies(
  ['codex:engine:exec', 'codex:engine:exec-limits'],
  'the exec engine offers the same tools, and reports what it does not support',
  async () => {
    await using testbed = await openTestbed(processes);
    const client = await testbed.serve({ args: ['--engine', 'exec', '--tools', 'full'] });
    const long = { ...FREE, prompt: script([{ shell: 'sleep 300' }, { message: 'never' }]) };
    const started = await client.call('codex_start', {
      ...FREE,
      prompt: script([{ message: 'one' }]),
      waitSeconds: 50,
    });
    const { sessionId = '' } = started;
    expect(started).toMatchObject({
      status: 'done',
      result: 'one',
      warnings: [expect.stringMatching(/^The exec engine cannot ask for approvals/)],
    });
    const reply = await client.call('codex_say', { sessionId, message: script([{ message: 'two' }]), waitSeconds: 50 });
    expect(reply).toMatchObject({ sessionId, status: 'done', result: 'two' });
    expect(await client.call('codex_list')).toMatchObject({ sessions: [{ sessionId, isActive: false }] });
    expect(engines()).toEqual([]);

    const { sessionId: running = '' } = await client.call('codex_start', long);
    const steered = { sessionId: running, message: 'now', onBusy: 'steer' };
    expect(await client.failure('codex_say', steered)).toMatch(
      /^The exec engine cannot add a message to a running turn/,
    );
    expect(await client.failure('codex_review', { target: 'custom', instructions: 'x' })).toMatch(/^The exec engine/);
    expect(await client.call('codex_interrupt', { sessionId: running })).toMatchObject({ status: 'interrupted' });
  },
);

verifies('codex:engine:environment', 'Codex and its commands inherit the whole environment of the server', async () => {
  await using testbed = await openTestbed(processes);
  const client = await testbed.serve({ env: { A_VARIABLE_OF_MINE: 'here it is' } });
  const prompt = script([{ shell: 'echo "$A_VARIABLE_OF_MINE" > seen.txt; cat seen.txt' }, { message: 'done' }]);
  await client.call('codex_start', { ...FREE, prompt, waitSeconds: 50 });

  expect(JSON.stringify(testbed.model.requests.at(-1)?.input)).toContain('here it is');
});

verifies(
  ['codex:env:home', 'codex:env:home-tilde'],
  'stores sessions in CODEX_HOME, whether it is set, starts with a tilde, or is unset',
  async () => {
    await using testbed = await openTestbed(processes);
    const named = await testbed.serve();
    const { sessionId } = await named.call('codex_start', {
      ...FREE,
      prompt: script([{ message: 'hi' }]),
      waitSeconds: 50,
    });
    await named.close();
    const home = join(testbed.home.rootDir, 'person');
    await mkdir(home);
    await symlink(testbed.home.codexDir, join(home, 'own'));
    const tilde = await testbed.serve({ env: { HOME: home, CODEX_HOME: '~/own' } });
    expect(await tilde.call('codex_list')).toMatchObject({ sessions: [{ sessionId }] });
    await tilde.close();
    await rename(join(home, 'own'), join(home, '.codex'));
    const unset = await testbed.serve({ env: { HOME: home, CODEX_HOME: '' } });
    expect(await unset.call('codex_list')).toMatchObject({ sessions: [{ sessionId }] });
  },
);
