import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { ownConfig, PROJECT, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { CURSOR, ENTER, filesOf, onTerminal } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const TRUST = /Trust this server\? .*\[y\/N\] /;

/** A repository whose config needs a variable. */
function withCommittedConfig(): Testbed {
  const testbed = newTestbed();
  const shared = { transport: 'stdio', ...fixture('well-behaved'), env_vars: ['TEAM_TOKEN'] };
  testbed.write(PROJECT, ownConfig({ shared }));
  return testbed;
}

describe('in a repository with a committed config', () => {
  test('switchboard shows what would run and what it lacks, asks for trust, and tests it', async () => {
    const testbed = withCommittedConfig();
    const { status, shown } = await onTerminal(testbed, processes, {
      args: [],
      turns: [
        [/This project defines 1 server\. Nothing has been changed\.[^?]+Set up now\? /, ENTER],
        [TRUST, `y${ENTER}`],
        [/TEAM_TOKEN has no value\. Enter and store it now\? \[y\/N\] /, ENTER],
      ],
    });
    expect(shown).toContain(fixture('well-behaved').args[0]);
    expect(shown).toContain('shared needs TEAM_TOKEN. Next: switchboard secret set TEAM_TOKEN');
    expect(shown).toContain('✓ Trusted 1 server.');
    expect(shown).toMatch(/✓ shared\s+3 tools/);
    expect(status).toBe(0);
    expect(testbed.exists('own/trust.json')).toBe(true);
    expect((await testbed.run(['setup', '--undo', '--yes'])).stdout).toContain('Restored the earlier trust');
    expect(testbed.exists('own/trust.json')).toBe(false);
    expect((await testbed.run(['list'])).stdout).toContain('untrusted');
  });

  test.each([
    [
      'an answer of no',
      {
        args: [],
        turns: [
          [/Set up now\? /, ENTER],
          [TRUST, ENTER],
        ] as const,
      },
    ],
    ['--yes', { args: ['setup', '--yes'], turns: [] }],
  ])('%s trusts nothing and starts nothing', async (_, typed) => {
    const testbed = withCommittedConfig();
    const { status, shown } = await onTerminal(testbed, processes, typed);
    expect(shown).toContain('1 server of this project not trusted yet. Next: switchboard trust');
    expect(shown).not.toContain('Testing');
    expect([status, testbed.exists('own/trust.json')]).toEqual([0, false]);
  });

  test("a project's own client files stay as they are", async () => {
    const testbed = newTestbed();
    testbed.write(CURSOR, { mcpServers: { mine: fixture('well-behaved') } });
    testbed.write('project/.cursor/mcp.json', { mcpServers: { team: fixture('has-names', 'x') } });
    const before = filesOf(testbed)['project/.cursor/mcp.json'];
    const { status, stdout } = await testbed.run(['setup', '--yes']);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/team stays in .*: it belongs to this project\./)]);
    expect(filesOf(testbed)['project/.cursor/mcp.json']).toBe(before);
    expect(testbed.exists(PROJECT)).toBe(false);
  });
});
