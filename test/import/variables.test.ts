import { describe, expect, test } from 'vitest';
import { answerOnTerminal } from '../mcp/answer-on-terminal.ts';
import { type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const IMPORT = 'Import it? [Y/n/pick] ';
const FROM_SHELL = 'IN_SHELL is set in this shell, but clients may not pass it on. Store it for all clients? [y/N] ';
const UNSET = 'UNSET_A, UNSET_B have no value. Enter and store them now? [y/N] ';
const env = { IN_SHELL: 'shell-value' };

/** Opens a home with a server that needs three variables. */
function open(): Testbed {
  const testbed = newTestbed();
  const variables = { A: `\${env:IN_SHELL}`, B: `\${env:UNSET_A}`, C: `\${env:UNSET_B}` };
  testbed.write('.cursor/mcp.json', { mcpServers: { a: { command: 'node', env: variables } } });
  return testbed;
}

function secretsOf(testbed: Testbed): unknown {
  return testbed.exists('own/secrets.json') ? Object(testbed.json('own/secrets.json')).secrets : {};
}

describe('import on a terminal offers to store the variables that servers need', () => {
  test.each([
    [
      'all of them',
      ['y', 'y', 'typed-a', 'typed-b'],
      { IN_SHELL: 'shell-value', UNSET_A: 'typed-a', UNSET_B: 'typed-b' },
    ],
    ['none', ['n', 'n'], {}],
    ['nothing by default', ['', ''], {}],
    ['only that of the shell', ['y', 'n'], { IN_SHELL: 'shell-value' }],
    ['only the first', ['n', 'y', 'typed-a', ''], { UNSET_A: 'typed-a' }],
  ])('%s', async (_, answers, expected) => {
    const testbed = open();
    const questions = [FROM_SHELL, UNSET, 'value of UNSET_A (not shown): ', 'value of UNSET_B (not shown): '];
    const then = answers.map((answer, index) => ({ question: questions[index] ?? '', answer }));
    const first = { command: 'import', args: [], question: IMPORT, answer: 'y' };
    const { status, shown } = await answerOnTerminal(testbed, processes, { ...first, then, env });
    expect(status).toBe(0);
    expect(secretsOf(testbed)).toEqual(expected);
    const left = ['UNSET_A', 'UNSET_B'].filter((name) => !Object.hasOwn(expected, name));
    const hints = [...shown.matchAll(/Next: switchboard secret set (\w+)/g)].map(([, name]) => name);
    expect(hints).toEqual(left);
    expect(shown).not.toContain('typed-');
  });

  test('and Ctrl-C keeps what was imported', async () => {
    const testbed = open();
    const first = { command: 'import', args: [], question: IMPORT, answer: 'y' };
    const then = [{ question: FROM_SHELL, answer: '\u0003' }];
    const { status, shown } = await answerOnTerminal(testbed, processes, { ...first, then, env });
    expect([status, secretsOf(testbed), testbed.exists('own/config.json')]).toEqual([130, {}, true]);
    expect(shown).toContain('The servers were imported. No further variable was stored.');
  });
});

test.each([[['--all']], [['--yes']], [['a']]])('import %j asks nothing, and names missing variables', async (args) => {
  const testbed = open();
  const { status, stdout } = await testbed.run(['import', ...args], { env });
  expect([status, secretsOf(testbed)]).toEqual([0, {}]);
  expect(stdout).toContain('needs UNSET_A: set it, or run switchboard secret set UNSET_A');
  expect(stdout).not.toContain('needs IN_SHELL');
});
