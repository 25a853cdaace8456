import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { script } from '../codex/script.ts';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { commandsWith, createToken } from './stop-phases.ts';
import { eventually, FREE, openTestbed } from './testbed.ts';

const processes = trackProcesses();
/** Long enough for an interrupt to arrive before the session is open, even on a busy machine. */
const START_MS = 5_000;

test('a turn interrupted while its session is being resumed never starts', async () => {
  const slow = { ...fixture('slow-start', String(START_MS)), startup_timeout_sec: 30 };
  await using testbed = await openTestbed(processes, { mcpServers: { slow } });
  const first = await testbed.serve();
  const { sessionId = '' } = await first.call('codex_start', {
    ...FREE,
    prompt: script([{ message: 'one' }]),
    waitSeconds: 50,
  });
  await first.close();
  const second = await testbed.serve();
  const message = script([{ shell: 'touch too-late.txt' }, { message: 'two' }]);
  const reply = second.begin('tools/call', { name: 'codex_say', arguments: { sessionId, message } });
  const status = () => second.call('codex_status', { sessionId });
  await eventually(async () => ((await status())['status'] === 'active' ? true : undefined));

  expect(await second.call('codex_interrupt', { sessionId })).toMatchObject({ status: 'interrupted' });
  expect(await reply.answer).toMatchObject({ result: { isError: true } });
  // A session started after the interrupt opens later than the interrupted one would.
  const later = { ...FREE, prompt: script([{ message: 'three' }]), waitSeconds: 50 };
  expect(await second.call('codex_start', later)).toMatchObject({ status: 'done' });
  expect(await status()).toMatchObject({ status: 'interrupted' });
  expect(testbed.model.requests.filter(({ body }) => JSON.stringify(body).includes('too-late'))).toEqual([]);
  expect(existsSync(join(testbed.home.workDir, 'too-late.txt'))).toBe(false);
});

test('agents spawned by Codex are interrupted with their session', async () => {
  const token = createToken();
  await using testbed = await openTestbed(processes, {
    model: 'mystery-1',
    extra: { features: { multi_agent: true } },
  });
  const client = await testbed.serve();
  const inner = script([{ shell: `sleep 300.${token}` }, { message: 'sub' }]);
  const steps = [
    { tool: { name: 'spawn_agent', arguments: { message: inner } } },
    { shell: 'sleep 301' },
    { message: 'x' },
  ];
  const { sessionId = '' } = await client.call('codex_start', { ...FREE, prompt: script(steps) });
  await eventually(() => (commandsWith(token).length > 0 ? true : undefined));
  await eventually(async () => {
    const { itemEvents } = await client.call('codex_status', { sessionId });
    return JSON.stringify(itemEvents).includes('sleep 301') ? true : undefined;
  });

  expect(await client.call('codex_interrupt', { sessionId })).toMatchObject({ status: 'interrupted' });
  await eventually(() => (commandsWith(token).length === 0 ? true : undefined));
});
