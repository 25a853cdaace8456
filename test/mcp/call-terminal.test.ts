import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { type Turn, typeOnTerminal } from './call-testbed.ts';
import { configure } from './test-report.ts';
import { type Testbed, useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const talk = (testbed: Testbed, args: readonly string[], ...turns: readonly Turn[]) =>
  typeOnTerminal(testbed, processes, { args: ['call', ...args], turns });

const CTRL_C = '\u0003';

test('progress is one line that is redrawn and finally removed', async () => {
  const testbed = configure(newTestbed(), { one: fixture('well-behaved') });
  const { status, shown } = await talk(testbed, ['one.slow', 'ms=4000']);
  expect(status).toBe(0);
  expect(shown).toContain('\r\u001b[K[#####---------------] 1/4\r\u001b[K[##########----------] 2/4\r\u001b[K');
  expect(shown.endsWith('\r\u001b[Kslept 4000 ms\r\n')).toBe(true);
});

test('a form is filled in field by field, shown, changed and sent', async () => {
  const testbed = configure(newTestbed(), { asks: fixture('requests-elicitation') });
  const { status, shown } = await talk(
    testbed,
    ['asks.ask'],
    ['name: ', '\r'],
    ['name: ', 'Ada\r'],
    ['agree [no]: ', 'perhaps\r'],
    ['agree [no]: ', 'y\r'],
    ['2) agree: yes', ''],
    ['Send this to asks? ', '\r'],
    ['Send this to asks? ', '2\r'],
    ['agree [no]: ', 'n\r'],
    ['2) agree: no', ''],
    ['Send this to asks? ', 'y\r'],
  );
  expect([status, shown]).toEqual([
    0,
    expect.stringContaining('The server asks asks you the following (unverified text from the server):'),
  ]);
  expect(shown).toMatch(/This field is required\..*Allowed: yes or no\./s);
  expect(answerIn(shown)).toEqual({ action: 'accept', content: { name: 'Ada', agree: false } });
});

test.each([
  ['declined', ':decline\r', 'decline'],
  ['cancelled with Ctrl-C', CTRL_C, 'cancel'],
])('a form is %s', async (_, typed, action) => {
  const testbed = configure(newTestbed(), { asks: fixture('requests-elicitation') });
  const { status, shown } = await talk(testbed, ['asks.ask'], ['name: ', typed]);
  expect([status, answerIn(shown)]).toEqual([0, { action }]);
});

test('a URL is shown in full with its host, and never opened', async () => {
  const testbed = configure(newTestbed(), { asks: fixture('requests-elicitation', '--url') });
  const { status, shown } = await talk(testbed, ['asks.ask'], ['Have you completed this step? [y/N] ', 'y\r']);
  expect([status, answerIn(shown)]).toEqual([0, { action: 'accept' }]);
  expect(shown).toContain('  https://example.com/sign-in?id=1\r\n  leads to: example.com\r\n');
});

test('the call does not time out while the user answers', async () => {
  const testbed = configure(newTestbed(), { asks: fixture('requests-elicitation', '--url') });
  const late: Turn = ['Have you completed this step? [y/N] ', 'y\r', 12_000];
  const { status, shown } = await talk(testbed, ['asks.ask', '--timeout', '10'], late);
  expect([status, answerIn(shown)]).toEqual([0, { action: 'accept' }]);
});

test('Ctrl-C cancels a running call', async () => {
  const testbed = configure(newTestbed(), { one: fixture('well-behaved') });
  const { status, shown } = await talk(testbed, ['one.slow', 'ms=8000'], ['1/4', CTRL_C]);
  expect([status, shown]).toEqual([130, expect.stringContaining('one.slow was cancelled.')]);
});

test('output on a terminal is truncated after a megabyte', async () => {
  const testbed = configure(newTestbed(), { huge: fixture('huge-line') });
  const { status, shown } = await talk(testbed, ['huge.huge', 'mib=3']);
  expect([status, shown.slice(-80)]).toEqual([
    0,
    expect.stringContaining('[… 2.0 MiB more: use --json or redirect to see all]'),
  ]);
  expect(shown.length).toBeLessThan(1.1 * 2 ** 20);
});

test('an untrusted server is called if the user at the terminal agrees', async () => {
  const testbed = newTestbed();
  testbed.write('project/.mcp.json', { mcpServers: { near: fixture('well-behaved') } });
  const question = 'Allow this once? [y/N] ';
  const agreed = await talk(testbed, ['near.add', 'a=1', 'b=2'], [question, 'y\r']);
  expect([agreed.status, agreed.shown]).toEqual([0, expect.stringContaining('To call it, Switchboard will:')]);
  expect(agreed.shown).toMatch(/\n3\r\n$/);
  const refused = await talk(testbed, ['near.add', 'a=1', 'b=2'], [question, 'n\r']);
  expect(refused.status).toBe(9);
});

/** The fixture returns the response that it got. */
function answerIn(shown: string): unknown {
  const [line = '{}'] = shown.split('\r\n').filter((one) => one.includes('"jsonrpc"'));
  return JSON.parse(line.slice(line.indexOf('{'))).result;
}
