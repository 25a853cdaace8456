import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { openSignInServer } from './sign-in-server.ts';
import { configure } from './test-report.ts';
import { listed, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

test('test --all ends with each server that did not pass, its next command, and the totals', async () => {
  await using web = await openSignInServer();
  const testbed = configure(newTestbed(), {
    good: fixture('well-behaved'),
    gone: { command: 'no-such-program' },
    keyless: fixture('dies-at-start'),
    notes: { url: `${web.origin}/mcp` },
    weather: { url: `${web.origin}/mcp`, bearer_token_env_var: 'WEATHER_API_KEY' },
    odd: { command: 7 },
  });
  const { status, stderr } = await testbed.mcp('test', '--all');
  expect(status).toBe(7);
  expect(stderr.split('\n')).toEqual([
    '',
    'gone: Spawn error: command not found: no-such-program. Check PATH, or give the full path of the command. Run: switchboard doctor gone',
    expect.stringMatching(/^keyless: it ended with exit code 3: .* Run: switchboard set keyless env\.API_KEY /),
    'notes needs a sign-in. Run: switchboard mcp login notes',
    expect.stringMatching(/^weather needs WEATHER_API_KEY, which is not set .*Run: switchboard secret set WEATHER_API/),
    expect.stringMatching(/^odd: .*config\.json:\d+: .*command/),
    '1 of 6 servers work, 1 needs a sign-in, 4 failed.',
    '',
  ]);
});

test('list says that a server needs a sign-in, once a test has found out', async () => {
  await using web = await openSignInServer();
  const testbed = configure(newTestbed(), { notes: { url: `${web.origin}/mcp` } });
  expect(await listed(testbed)).toMatchObject([{ id: 'notes', auth: 'none' }]);
  expect((await testbed.mcp('test', 'notes')).status).toBe(3);
  expect(await listed(testbed)).toMatchObject([{ id: 'notes', auth: 'sign-in needed' }]);
});
