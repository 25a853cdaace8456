import { expect, test } from 'vitest';
import { showStatus } from '../../src/cli/mcp/status/command.ts';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { oneDocument } from './output-modes.ts';
import { GLOBAL, ownConfig, PROJECT, type Testbed, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

/** Prints what bare `switchboard` shows on a terminal. */
async function shownBySwitchboard(testbed: Testbed): Promise<readonly string[]> {
  const messages: string[] = [];
  const say = (text: string) => void messages.push(text);
  await showStatus({
    ...{ output: { answer: say, report: say }, cwd: testbed.path('project'), home: testbed.folder },
    ...{ env: { SWITCHBOARD_HOME: testbed.path('own') }, packageRoot: new URL('../../', import.meta.url) },
    stopSavingCode: () => undefined,
  });
  const lines = messages.join('\n').split('\n');
  return lines.slice(lines.indexOf('Needs attention:'), lines.indexOf('', lines.indexOf('Needs attention:')));
}

test('a start that failed in doctor is shown by status and switchboard alone, until the entry changes', async () => {
  const testbed = newTestbed();
  testbed.write(GLOBAL, ownConfig({ down: fixture('dies-at-start'), works: fixture('well-behaved') }));
  expect((await testbed.run(['doctor', 'down', 'works'])).status).toBe(4);
  const failed =
    'its last start failed: it ended with exit code 3: dies-at-start: API_KEY is not set. Set `API_KEY` in its `env`';
  const { stdout } = await testbed.run(['status']);
  expect(stdout).toMatch(new RegExp(`^down .* {2}${failed} → switchboard mcp test down\nworks .* -$`, 'm'));
  expect(oneDocument((await testbed.run(['status', '--json'])).stdout)).toMatchObject({
    configured: { servers: [{ id: 'down', note: failed, next: 'switchboard mcp test down' }, { id: 'works' }] },
  });
  expect((await testbed.run(['status', 'down'])).stdout).toContain(`not running: ${failed}\n`);
  expect(await shownBySwitchboard(testbed)).toEqual([
    'Needs attention:',
    `  ✗ down: ${failed}`,
    '    Run: switchboard mcp test down',
  ]);
  testbed.write(GLOBAL, ownConfig({ down: fixture('well-behaved') }));
  expect(await shownBySwitchboard(testbed)).toEqual([]);
});

test('missing variables, missing sign-ins, and invalid and untrusted entries need attention without any start', async () => {
  const testbed = newTestbed();
  testbed.write(PROJECT, ownConfig({ shy: { command: 'x' } }));
  const web = { url: 'https://a.example/mcp' };
  testbed.write(
    GLOBAL,
    ownConfig({
      bad: {},
      keyed: { ...web, bearer_token_env_var: 'NO_SUCH_TOKEN' },
      signed: { ...web, oauth: { client_id: 'c' } },
    }),
  );
  expect(await shownBySwitchboard(testbed)).toEqual([
    'Needs attention:',
    expect.stringMatching(/^ {2}✗ bad: /),
    '    Correct ~/own/config.json:5.',
    '  ✗ signed: oauth not signed in',
    '    Run: switchboard mcp login signed',
    '  ⚠ keyed: needs NO_SUCH_TOKEN, which is not set',
    '    Run: switchboard secret set NO_SUCH_TOKEN',
    '  ⚠ 1 server is not trusted, so Switchboard does not start it: shy',
    `    Run: switchboard trust ${testbed.path('project')}`,
  ]);
});
