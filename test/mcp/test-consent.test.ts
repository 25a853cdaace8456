import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { answerOnTerminal } from './asked-on-terminal.ts';
import { useWorlds } from './command.ts';

const processes = trackProcesses();
const newWorld = useWorlds(processes);

test.each([
  ['Ctrl-C', '\u0003', 130, 'was not tested.'],
  ['Ctrl-D', '\u0004', 9, 'is not trusted, and is not started. Run: switchboard trust'],
])('%s at the question whether to test a strange server ends it', async (_, answer, status, words) => {
  const world = newWorld();
  const env = { NODE_OPTIONS: '--require /tmp/evil.js' };
  world.write('project/.mcp.json', { mcpServers: { near: { command: 'node', args: ['server.js'], env } } });
  const question = 'Only this once? [y/N] ';
  const ended = await answerOnTerminal(world, processes, { args: ['test', 'near'], question, answer });
  expect([ended.status, ended.shown]).toEqual([status, expect.stringContaining(words)]);
  expect(ended.shown).toContain('  with NODE_OPTIONS="--require /tmp/evil.js"');
  expect(ended.shown).not.toContain('bug in switchboard');
});
