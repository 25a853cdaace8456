import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { useWorlds, type World } from './command.ts';
import { configure } from './tested.ts';

const newWorld = useWorlds(trackProcesses());

/** One that works, one that cannot start, one that is off. */
function three(): World {
  const off = { ...fixture('well-behaved'), enabled: false };
  return configure(newWorld(), { good: fixture('well-behaved'), gone: { command: '/nowhere/x' }, off });
}

test.each(['good.*', 'GOOD.echo', 'goo?.ec*'])('mcp tools %s asks the server that it names alone', async (pattern) => {
  const { status, stdout, stderr } = await three().mcp('tools', pattern);
  expect([status, stdout, stderr]).toEqual([0, expect.stringContaining('good.echo('), '']);
});

test.each(['*.echo', 'echo', 'ood.echo'])('mcp tools %s may mean any, and asks them all', async (pattern) => {
  const { status, stdout, stderr } = await three().mcp('tools', pattern);
  expect([status, stdout]).toEqual([4, expect.stringContaining('good.echo(')]);
  expect(stderr).toContain('gone');
  // Whoever switched it off knows.
  expect(stderr).not.toContain('Not asked');
});

test('mcp tools off says why the server that it speaks of is not asked', async () => {
  const { status, stderr } = await three().mcp('tools', 'off');
  expect([status, stderr]).toEqual([4, expect.stringContaining('Not asked: off (switched off by ')]);
});

test('mcp tools off.* says why the server that it names is not asked', async () => {
  const { status, stderr } = await three().mcp('tools', 'off.*');
  expect([status, stderr]).toEqual([5, expect.stringContaining('Not asked: off ')]);
  expect(stderr).not.toContain('gone');
});
