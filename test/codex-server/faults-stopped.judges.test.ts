import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { script } from '../codex/script.ts';
import { trackProcesses } from '../processes.ts';
import { start } from './flow-session.ts';
import { eventually, openTestbed } from './testbed.ts';

vi.setConfig({ testTimeout: 180_000 });

const processes = trackProcesses();
const enginePids = () => processes.alive().flatMap(({ pid, command }) => (/\bapp-server\b/.test(command) ? [pid] : []));

test('an interrupt kills a suspended Codex and reports what stopped, and the next message works', async () => {
  await using testbed = await openTestbed(processes);
  const client = await testbed.serve();
  const other = await start(client, [{ hang: true }]);
  const flow = await start(client, [{ shell: 'touch runs.txt; exec sleep 287' }, { message: 'never' }]);
  await eventually(() => existsSync(join(testbed.home.workDir, 'runs.txt')));
  // Codex may report the command only after it has started it.
  await eventually(async () => JSON.stringify((await flow.status())['itemEvents']).includes('command_execution'));
  const [engine = 0] = enginePids();
  const shells = () => processes.alive().filter(({ command }) => command.includes('sleep 287'));
  expect(shells()).not.toEqual([]);

  process.kill(engine, 'SIGSTOP');
  const note = `Codex did not respond and was killed: the turn has stopped, and so has every command that Codex had started. The turns of these sessions ended with it: ${other.id}.`;
  expect(await flow.interrupt()).toEqual({ sessionId: flow.id, status: 'interrupted', note });
  expect(shells()).toEqual([]);
  const status = await flow.status();
  expect(status).toMatchObject({
    status: 'interrupted',
    itemEvents: [{ itemType: 'command_execution', status: 'failed' }],
  });
  expect(await other.status()).toMatchObject({
    status: 'error',
    error: { kind: 'engine', message: expect.stringMatching(/did not respond and was killed/) },
  });

  expect(await flow.say([{ message: 'back' }], { waitSeconds: 50 })).toMatchObject({ status: 'done', result: 'back' });
  expect(enginePids()).not.toContain(engine);
});

test('a message to a suspended Codex kills it, and the next message starts another', async () => {
  await using testbed = await openTestbed(processes);
  const client = await testbed.serve();
  const flow = await start(client, [{ message: 'one' }]);
  await flow.settled();
  const [engine = 0] = enginePids();
  process.kill(engine, 'SIGSTOP');
  const refused = await client.failure('codex_say', { sessionId: flow.id, message: script([{ message: 'lost' }]) });
  expect(refused).toMatch(/did not respond and was killed/);
  expect(await flow.say([{ message: 'two' }], { waitSeconds: 50 })).toMatchObject({ status: 'done', result: 'two' });
  expect(enginePids()).not.toContain(engine);
});
