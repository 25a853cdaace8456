import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { script } from '../codex/script.ts';
import { trackProcesses } from '../processes.ts';
import { type CodexClient, eventually, FREE, openTestbed } from './testbed.ts';

vi.setConfig({ testTimeout: 180_000 });
// After each test, none of its processes may be running.
const processes = trackProcesses();

const APPROVE = { action: 'accept', content: { decision: 'approve' } };
const shell = 'touch ran.txt; sleep 97';
const CALLS = [
  ['codex_start', { ...FREE, approvalPolicy: 'untrusted', waitSeconds: 50 }],
  ['codex', { sandbox: 'workspace-write', 'approval-policy': 'untrusted' }],
] as const;

test.each([
  ['closes stdin', (client: CodexClient) => client.endInput()],
  ['kills the server', (client: CodexClient) => client.kill('SIGKILL')],
])('no command runs if the client %s while an approval is pending', async (_, vanish) => {
  await using testbed = await openTestbed(processes);
  for (const [name, args] of CALLS) {
    let isAsked = false;
    const never = () => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    const client = await testbed.serve({
      args: ['--tools', 'all'],
      capabilities: { elicitation: {} },
      onRequest: never,
    });
    client.begin('tools/call', { name, arguments: { ...args, prompt: script([{ shell }, { message: 'went on' }]) } });
    await eventually(() => isAsked);
    vanish(client);
    await client.exited;
    await eventually(() => processes.alive().length === 0);
    expect(existsSync(join(testbed.home.workDir, 'ran.txt'))).toBe(false);
  }
});

test.each(CALLS)('an approval that arrives after the call was cancelled is ignored: %s', async (name, args) => {
  await using testbed = await openTestbed(processes);
  let cancel = () => {};
  const client = await testbed.serve({
    args: ['--tools', 'all'],
    env: { MAX_SESSIONS: '1' },
    capabilities: { elicitation: {} },
    onRequest: () => {
      cancel();
      return APPROVE;
    },
  });
  const prompt = script([{ shell }, { message: 'went on' }]);
  const { id } = client.begin('tools/call', { name, arguments: { ...args, prompt } });
  cancel = () => client.notify('notifications/cancelled', { requestId: id });
  await eventually(() => /command_approval (?:answered|withdrawn|cancelled)/u.test(client.stderr()));
  expect(client.stderr()).not.toContain('answered with approve');

  // The slot is free again as soon as the turn has ended.
  const next = { ...FREE, prompt: script([{ message: 'next' }]), waitSeconds: 50 };
  const started = await eventually(async () => {
    const result = await client.result('codex_start', next);
    return result['isError'] === true ? undefined : result;
  });
  expect(started).toMatchObject({ structuredContent: { status: 'done', result: 'next' } });
  expect(existsSync(join(testbed.home.workDir, 'ran.txt'))).toBe(false);
});
