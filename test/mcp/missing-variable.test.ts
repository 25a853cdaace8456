import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { configure } from './test-report.ts';
import { GLOBAL, type Testbed, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());
const COMMAND = 'switchboard secret set WEATHER_API_KEY';

function withoutKey(): Testbed {
  const url = 'http://127.0.0.1:9/mcp';
  return configure(newTestbed(), { weather: { url, bearer_token_env_var: 'WEATHER_API_KEY' } });
}

const textFor = (testbed: Testbed) =>
  `weather needs WEATHER_API_KEY, which is not set (${testbed.path(GLOBAL)}:5). Run: ${COMMAND}\n`;

verifies('config:variables:one-text', 'a missing variable has one text with the command that sets it', async () => {
  const testbed = withoutKey();
  for (const args of [
    ['test', 'weather'],
    ['tools'],
    ['resources', 'list'],
    ['login', 'weather'],
    ['call', 'weather.today'],
  ]) {
    const { status, stderr } = await testbed.mcp(...args);
    expect([args, status, stderr]).toEqual([args, 7, textFor(testbed)]);
  }
});

test('doctor, status and --check show the same reason and command', async () => {
  const testbed = withoutKey();
  const reason = 'needs WEATHER_API_KEY, which is not set';
  expect((await testbed.run(['doctor', 'weather'])).stdout).toMatch(
    new RegExp(`✗ weather ${reason}\\n +Run: ${COMMAND}\\n`),
  );
  expect((await testbed.mcp('status')).stdout).toContain(`${reason} → ${COMMAND}`);
  const { stdout } = await testbed.run(['gateway', '--check']);
  expect(stdout).toContain(`\n  weather ${reason} (${testbed.path(GLOBAL)}:5).\n  next: ${COMMAND}\n`);
});
