import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { GLOBAL, serversIn, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { CURSOR, ENTER, onTerminal, WINDSURF } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const GONE = { command: 'no-such-program' };
const NEEDY = { ...fixture('reports-environment'), env: { TOKEN: `\${env:TEAM_TOKEN}` } };

/** Two clients that share a server that cannot start. */
function withFailingServers(): Testbed {
  const testbed = newTestbed();
  testbed.write(CURSOR, { mcpServers: { 'my adder': fixture('well-behaved'), 'old one': GONE } });
  testbed.write(WINDSURF, { mcpServers: { gone: GONE } });
  return testbed;
}

describe('a server that does not start through Switchboard', () => {
  test('stays on in its clients, which setup explains, and connect turns it off there later', async () => {
    const testbed = withFailingServers();
    const { status, stdout } = await testbed.run(['setup', '--yes']);
    expect(status).toBe(0);
    expect(stdout.indexOf('Testing 2 servers')).toBeLessThan(stdout.indexOf('Connecting 2 clients'));
    expect(stdout).toMatch(/✓ Cursor {4}sees 2 servers, with 3 tools \(about \d+ tokens\)\./);
    expect(stdout).toContain(
      '⚠ "old one" stays on in Cursor, because it does not work through Switchboard yet. When it does, run: switchboard connect cursor',
    );
    expect(stdout).toContain('⚠ gone stays on in Windsurf,');
    expect(Object.keys(Object(testbed.json(CURSOR)).mcpServers)).toEqual(['old one', 'switchboard']);
    expect(testbed.json(WINDSURF)).toMatchObject({ mcpServers: { gone: GONE } });
    expect(Object.keys(serversIn(testbed, GLOBAL))).toEqual(['my-adder', 'old-one']);
    // It has never worked here, so no tool is listed twice.
    expect((await testbed.run(['doctor'])).stdout).not.toContain('twice');
    await testbed.run(['connect', 'cursor', '--yes']);
    expect(Object.keys(Object(testbed.json(CURSOR)).mcpServers)).toEqual(['switchboard']);
  });

  test('is listed with --json', async () => {
    const { stdout } = await withFailingServers().run(['setup', '--yes', '--json']);
    const { clients } = JSON.parse(stdout);
    expect(clients).toMatchObject([
      { client: 'cursor', disabled: ['my adder'], leftOn: ['old one'], sees: { servers: 2, tools: 3 } },
      { client: 'windsurf', disabled: [], leftOn: ['gone'], sees: { servers: 1, unknownServers: 1 } },
    ]);
  });
});

describe('a variable without a value', () => {
  test('is asked for and stored before the tests, and undo removes it', async () => {
    const testbed = newTestbed();
    testbed.write(CURSOR, { mcpServers: { needy: NEEDY } });
    const { status, shown } = await onTerminal(testbed, processes, {
      args: ['setup'],
      turns: [
        [/Set up now\? /, ENTER],
        [/connect Cursor\? /, ENTER],
        [/TEAM_TOKEN has no value\. Enter and store it now\? \[y\/N\] /, `y${ENTER}`],
        [/value of TEAM_TOKEN/, `s3cret-value${ENTER}`],
      ],
    });
    expect(shown).toMatch(/✓ needy +1 tool,/);
    expect(shown).not.toContain('s3cret-value');
    expect([status, Object(testbed.json('own/secrets.json')).secrets]).toEqual([0, { TEAM_TOKEN: 's3cret-value' }]);
    await testbed.run(['setup', '--undo', '--yes']);
    expect(testbed.exists('own/secrets.json')).toBe(false);
  });

  test('keeps its server on in the client if nobody enters it', async () => {
    const testbed = newTestbed();
    testbed.write(CURSOR, { mcpServers: { needy: NEEDY } });
    const { stdout } = await testbed.run(['setup', '--yes']);
    expect(stdout).toContain('✗ needy  needs TEAM_TOKEN. Next: switchboard secret set TEAM_TOKEN');
    expect(stdout).toContain('⚠ needy stays on in Cursor');
    expect(testbed.json(CURSOR)).toMatchObject({ mcpServers: { needy: NEEDY } });
  });
});
