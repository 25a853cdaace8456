import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { STEERING } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

test.each(['schema-bombs', 'exact-definitions', 'has-large-tools', 'deep-json'] as const)(
  'the definitions of %s cannot control the terminal, piped, on a terminal or as JSON',
  async (name) => {
    const testbed = configure(newTestbed(), { one: fixture(name) });
    const ended = await Promise.all([testbed.mcp('tools'), testbed.mcp('tools', '--json')]);
    for (const { stdout, stderr } of ended) expect(stdout + stderr).not.toMatch(STEERING);
    expect(ended.map(({ status }) => status)).toEqual([0, 0]);
    const { shown } = await testbed.onTerminal(['tools'], []);
    expect(shown.replaceAll('\r\n', '\n')).not.toMatch(STEERING);
  },
);
