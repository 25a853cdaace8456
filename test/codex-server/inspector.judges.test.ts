import { expect, test } from 'vitest';
import { isObject, objectsOf } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { inspect } from '../judges/inspector.ts';
import { trackProcesses } from '../processes.ts';
import { member } from './flow-session.ts';
import { openTestbed } from './testbed.ts';

const processes = trackProcesses();

test('the Inspector lists the tools, runs a session without approvals and finds it again', async () => {
  await using testbed = await openTestbed(processes);
  const env = testbed.env();
  // The Inspector passes on little of its environment, so the server gets its settings on the command line.
  const needed = ['CODEX_CLI_PATH', 'CODEX_HOME'].map((name) => `${name}=${env[name]}`);
  const server = ['/usr/bin/env', ...needed, ...testbed.command()];
  const ask = async (...method: string[]) => {
    const answer = await inspect({ method, server, env });
    return member(isObject(answer) ? answer : {}, 'result');
  };
  const call = async (name: string, args: Readonly<Record<string, string | number | boolean>>) => {
    const given = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]);
    return member(await ask('tools/call', '--tool-name', name, ...given), 'structuredContent');
  };
  const started = call('codex_start', {
    prompt: script([{ shell: 'echo hi > inspected.txt' }, { message: 'inspected' }]),
    workingDirectory: testbed.home.workDir,
    approvalPolicy: 'never',
    sandbox: 'workspace-write',
    skipGitRepoCheck: true,
    waitSeconds: 50,
  });
  const [{ tools }, status] = await Promise.all([ask('tools/list'), started]);
  expect(objectsOf(tools).map(({ name }) => name)).toEqual([
    'codex_start',
    'codex_say',
    'codex_status',
    'codex_respond',
    'codex_interrupt',
    'codex_list',
    'codex_wait',
  ]);
  expect(status).toMatchObject({ status: 'done', result: 'inspected' });
  // Each call has its own server, so it finds only sessions that Codex has stored.
  const [{ sessions }, again] = await Promise.all([
    call('codex_list', { search: 'inspected' }),
    call('codex_status', { sessionId: String(status['sessionId']) }),
  ]);
  expect(sessions).toMatchObject([{ sessionId: status['sessionId'], isActive: false }]);
  expect(again).toMatchObject({ status: 'done', result: 'inspected', isStored: true });
});
