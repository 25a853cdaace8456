import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { script } from '../codex/script.ts';
import { trackProcesses } from '../processes.ts';
import { run, start } from './flow-session.ts';
import { FREE, openTestbed } from './testbed.ts';

const processes = trackProcesses();
const UNTIL_GO = 'until [ -e go ]; do sleep 0.1; done';
const touch = (name: string) => [{ shell: `touch ${name}` }, { message: 'done' }];

test.each(['app-server', 'exec'])('no tool continues a session that exceeds --max-sandbox: %s', async (engine) => {
  await using testbed = await openTestbed(processes, { extra: { sandbox_mode: 'workspace-write' } });
  const args = ['--engine', engine, '--tools', 'full'];
  const free = await testbed.serve({ args });
  const { sessionId = '' } = await run(free, [{ message: 'hello' }]);
  await free.close();
  const limited = await testbed.serve({ args: [...args, '--max-sandbox', 'read-only'] });
  const message = script(touch('beyond.txt'));

  for (const attempt of ['first', 'second'])
    expect([attempt, await limited.failure('codex_say', { sessionId, message })]).toEqual([
      attempt,
      expect.stringContaining('--max-sandbox'),
    ]);
  expect(await limited.failure('codex_fork', { sessionId, message })).toContain('--max-sandbox');
  const { sandbox: _, ...asked } = FREE;
  expect(await limited.failure('codex_start', { ...asked, prompt: message })).toContain('--max-sandbox');
  expect(existsSync(join(testbed.home.workDir, 'beyond.txt'))).toBe(false);
  const narrow = { sessionId, message: script([{ message: 'narrow' }]), sandbox: 'read-only', waitSeconds: 50 };
  expect(await limited.call('codex_say', narrow)).toMatchObject({ status: 'done', result: 'narrow' });
});

test('a quoted key cannot bypass the limits', async () => {
  await using testbed = await openTestbed(processes);
  const client = await testbed.serve();
  const config = { '"mcp_servers.x.command"': '/bin/true' };
  expect(await client.failure('codex_start', { ...FREE, prompt: 'x', config })).toMatch(
    /is not a key of Codex's configuration/u,
  );
});

test('a message can narrow the sandbox, except for a running turn', async () => {
  await using testbed = await openTestbed(processes);
  const client = await testbed.serve();
  const more = join(testbed.home.rootDir, 'more');
  await mkdir(more);
  const flow = await start(client, [{ message: 'hello' }], { addDirs: [more] });
  await flow.settled();
  await flow.say(touch('less.txt'), { sandbox: 'read-only' });
  await flow.settled();
  expect(existsSync(join(testbed.home.workDir, 'less.txt'))).toBe(false);
  await flow.say([{ shell: 'sleep 300' }, { message: 'never' }], { sandbox: 'workspace-write' });
  const steer = { sessionId: flow.id, message: 'x', onBusy: 'steer', sandbox: 'read-only' };
  expect(await client.failure('codex_say', steer)).toMatch(/^A running turn keeps its settings: leave out sandbox/u);
  await flow.interrupt();
});

test('a queued message that cannot be sent does not block the next one', async () => {
  await using testbed = await openTestbed(processes);
  const client = await testbed.serve();
  const flow = await start(client, [{ shell: UNTIL_GO, options: { yield_time_ms: 30_000 } }, { message: 'one' }]);
  await client.call('codex_say', { sessionId: flow.id, message: 'x', effort: '', onBusy: 'queue' });
  await client.call('codex_say', { sessionId: flow.id, message: script([{ message: 'three' }]), onBusy: 'queue' });
  await writeFile(join(testbed.home.workDir, 'go'), '');
  const { sessions } = await client.call('codex_wait', { sessionIds: [flow.id] });
  expect(sessions).toMatchObject([
    { status: 'done', result: 'three', warnings: [expect.stringContaining('could not be sent')] },
  ]);
});
