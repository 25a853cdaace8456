import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { answerOnTerminal } from './answer-on-terminal.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

test.each([
  ['Ctrl-C', '\u0003', 130, 'was not tested.'],
  ['Ctrl-D', '\u0004', 9, 'is not trusted, so it is not started. Run: switchboard trust'],
])('%s at the question whether to test an untrusted server ends the command', async (_, answer, status, words) => {
  const testbed = newTestbed();
  const env = { NODE_OPTIONS: '--require /tmp/evil.js' };
  testbed.write('project/.mcp.json', { mcpServers: { near: { command: 'node', args: ['server.js'], env } } });
  const question = 'Allow this once? [y/N] ';
  const ended = await answerOnTerminal(testbed, processes, { args: ['test', 'near'], question, answer });
  // A terminal wraps it between words, at its width.
  const shown = ended.shown.replaceAll(/\r?\n/g, ' ');
  expect([ended.status, shown]).toEqual([status, expect.stringContaining(words)]);
  expect(ended.shown).toContain('  with NODE_OPTIONS="--require /tmp/evil.js"');
  expect(ended.shown).not.toContain('bug in switchboard');
  const [endOfLine = 'none'] = ended.shown.slice(ended.shown.lastIndexOf(question) + question.length).split('\n');
  expect(endOfLine).not.toMatch(/near|was not tested/u);
});

test.each([
  ['y', 0, 'Trusted 1 server.', true],
  ['n', 9, 'Nothing was trusted in ', false],
  ['', 9, 'Nothing was trusted in ', false],
  ['\u0003', 130, 'Nothing was trusted in ', false],
])('trust shows the server before it asks, and stores only a yes: %j', async (answer, status, words, isStored) => {
  const testbed = newTestbed();
  testbed.write('project/.mcp.json', { mcpServers: { near: { command: './near' } } });
  const question = '[y/N] ';
  const ended = await answerOnTerminal(testbed, processes, { command: 'trust', args: [], question, answer });
  expect([ended.status, ended.shown]).toEqual([status, expect.stringContaining(words)]);
  expect(ended.shown.indexOf('  command     ./near')).toBeLessThan(ended.shown.indexOf('Trust this server?'));
  expect(existsSync(testbed.path('own/trust.json'))).toBe(isStored);
});
