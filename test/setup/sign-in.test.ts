import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useTestbeds as useSignInTestbeds } from '../auth/login-harness.ts';
import { openSignInServer } from '../mcp/sign-in-server.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { CURSOR, ENTER, onTerminal, type Turn } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const newSignInTestbed = useSignInTestbeds();
const BROWSER = join(import.meta.dirname, '..', 'auth', 'fixtures', 'login-browser.mjs');
const AGREED: readonly Turn[] = [
  [/Set up now\? /, ENTER],
  [/connect Cursor\? /, ENTER],
];

describe('a server that wants a sign-in', () => {
  test('works after the sign-in that setup offers, and undo signs out again', async () => {
    const { server } = await newSignInTestbed();
    const testbed = newTestbed();
    testbed.write(CURSOR, { mcpServers: { notes: { url: server.url } } });
    const { status, shown } = await onTerminal(testbed, processes, {
      args: ['setup'],
      turns: [...AGREED, [/Sign in to notes now\? \[Y\/n\/skip all\] /, ENTER]],
      env: { BROWSER, BROWSER_LOG: testbed.path('browser.log') },
    });
    expect(shown).toContain('⚠ notes  needs a sign-in.');
    expect(shown).toContain('Signed in to notes.');
    expect(shown).toMatch(/✓ notes {2}\d+ tools?/);
    expect(shown).toContain('The server works.');
    expect(status).toBe(0);
    const undone = await testbed.run(['setup', '--undo', '--yes']);
    expect(undone).toMatchObject({ status: 0, stdout: expect.stringContaining('Signed out of notes.') });
    expect(testbed.exists('own/mcp-auth.json')).toBe(false);
  });

  test('is named with its command if the user declines, and without a terminal', async () => {
    await using server = await openSignInServer();
    const testbed = newTestbed();
    const mcpServers = { first: { url: `${server.origin}/mcp` }, second: { url: `${server.origin}/mcp?2` } };
    testbed.write(CURSOR, { mcpServers });
    const { status, shown } = await onTerminal(testbed, processes, {
      args: ['setup'],
      turns: [
        ...AGREED,
        [/Sign in to first now\? \[Y\/n\/skip all\] /, `n${ENTER}`],
        [/Sign in to second now\? \[Y\/n\/skip all\] /, `s${ENTER}`],
      ],
    });
    expect(shown).toContain('⚠ first   needs a sign-in. Next: switchboard mcp login first');
    expect(shown).toContain('No call was made: no server works yet.');
    expect(status).toBe(0);
    await testbed.run(['setup', '--undo', '--yes']);
    const { stdout } = await testbed.run(['setup', '--yes', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ signIns: ['first', 'second'] });
  });

  test('Ctrl-C during a sign-in leaves the rest set up, and says how to undo it', async () => {
    await using server = await openSignInServer();
    const testbed = newTestbed();
    testbed.write(CURSOR, { mcpServers: { first: { url: `${server.origin}/mcp` } } });
    const { status, shown } = await onTerminal(testbed, processes, {
      args: ['setup'],
      turns: [...AGREED, [/Sign in to first now\? /, '\u0003']],
    });
    expect(shown).toContain('To reverse them, run: switchboard setup --undo');
    expect(status).toBe(130);
  });
});
