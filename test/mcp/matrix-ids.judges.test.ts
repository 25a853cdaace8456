import { expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { runInEveryMode } from './matrix-modes.ts';
import { configure } from './test-report.ts';
import { CODEX, type Testbed, useTestbeds } from './testbed.ts';

vi.setConfig({ testTimeout: 300_000 });

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

/** An unknown id is a usage error. Commands without the id work. For the list of all tools: tools.test.ts. */
const REFUSED = {
  ...{ list: '0', get: '2', status: '0', 'status one': '2', watch: '0', '/mcp': '0', bare: '0' },
  ...{ complete: '0', test: '2', tool: '2', call: '2' },
  ...{ resources: '2', read: '2', prompts: '2', prompt: '2' },
};
type Name = keyof typeof REFUSED;
const NAMES = Object.keys(REFUSED) as Name[];

verifies(
  'config:id:pattern',
  'an id that is a path, has a space or is a JavaScript property name is not a server',
  async () => {
    for (const id of ['../../x', 'a b', '__proto__', 'constructor']) {
      const testbed = newTestbed();
      configure(testbed, withId(testbed, id));
      expect([id, await runAll(id, testbed), startedIn(testbed)]).toEqual([id, REFUSED, false]);
    }
  },
);

test('an invalid id in the file of another client is no server either, although a space is allowed there', async () => {
  for (const id of ['../../x', '__proto__']) {
    const testbed = newTestbed();
    testbed.write(CODEX, { mcpServers: withId(testbed, id) });
    expect([id, await runAll(id, testbed), startedIn(testbed)]).toEqual([id, REFUSED, false]);
  }
  const testbed = newTestbed();
  testbed.write(CODEX, { mcpServers: { 'a b': fixture('well-behaved') } });
  const well = Object.fromEntries(NAMES.map((name) => [name, '0']));
  expect(await runAll('a b', testbed)).toEqual({ ...well, read: '5', prompt: '5' });
});

test('an id with control sequences cannot control the terminal', async () => {
  const id = 'a\u001b[2J\u001b]52;c;cm0\u0007\u202e\u{e0041}b';
  const testbed = newTestbed();
  configure(testbed, withId(testbed, id));
  testbed.write('project/.mcp.json', { mcpServers: withId(testbed, id) });
  expect([await runAll(id, testbed), startedIn(testbed)]).toEqual([REFUSED, false]);
});

/** A server that leaves a file when it starts, next to a working one. */
function withId(testbed: Testbed, id: string): Record<string, unknown> {
  const program = `require('node:fs').writeFileSync(${JSON.stringify(testbed.path('started'))}, '')`;
  // Not a literal: there, `__proto__` would not be a member.
  return Object.fromEntries([
    ['one', fixture('well-behaved')],
    [id, { command: process.execPath, args: ['-e', program] }],
  ]);
}

function startedIn(testbed: Testbed): boolean {
  return testbed.exists('started');
}

function runAll(id: string, testbed: Testbed): Promise<Readonly<Record<string, string>>> {
  return runInEveryMode(NAMES, { id, tool: 'echo', args: ['text=hi'] }, { testbed, processes });
}
