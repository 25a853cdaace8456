import { chmodSync, chownSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GLOBAL, ownConfig, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { modeOf } from '../temporary-folder.ts';
import { prepareHome, runDoctor } from './doctor-home.ts';

const newTestbed = useTestbeds(trackProcesses());

function open() {
  const testbed = newTestbed();
  prepareHome(testbed);
  testbed.write(GLOBAL, ownConfig({}));
  return testbed;
}

test('--fix says what it did, and does nothing the second time', async () => {
  const testbed = open();
  chmodSync(testbed.write('own/secrets.json', { version: 1, secrets: {} }), 0o644);
  const first = await testbed.run(['doctor', '--fix']);
  expect(first.status).toBe(0);
  expect(first.stdout).toContain(
    '✓ Files      1 fixed\n  ✓ Fixed: Set the permissions of ~/own/secrets.json to 600.\n    Other users can read ~/own/secrets.json (644)',
  );
  expect(first.stdout).toContain('Everything works (1 fixed).');
  expect(modeOf(testbed.path('own/secrets.json'))).toBe('600');
  expect((await testbed.run(['doctor', '--fix'])).stdout).toContain('Everything works.');
});

test('without --fix nothing changes', async () => {
  const testbed = open();
  const file = testbed.write('own/secrets.json', { version: 1, secrets: {} });
  chmodSync(file, 0o644);
  const { stdout } = await testbed.run(['doctor']);
  expect(stdout).toContain('1 warning. To fix it: switchboard doctor --fix');
  expect(modeOf(file)).toBe('644');
});

test('an outdated copy behind the launcher is replaced', async () => {
  const testbed = open();
  testbed.write('.cursor/mcp.json', { mcpServers: {} });
  await testbed.run(['connect', 'cursor', '--yes']);
  const current = testbed.read('own/app/current').trim();
  const old = `0.0.1-${current.split('-').at(-1)}`;
  testbed.write(`own/app/${old}/dist/cli/main.js`, "console.log('0.0.1')");
  testbed.write('own/app/current', `${old}\n`);
  const { problems } = await runDoctor(testbed);
  expect(problems).toMatchObject([{ check: 'client.version', fix: 'switchboard upgrade', fixable: true }]);
  expect((await runDoctor(testbed, { args: ['--fix'] })).problems).toEqual([]);
  expect(testbed.read('own/app/current').trim()).toBe(current);
});

test.skipIf(process.getuid?.() !== 0)('a file of another user fails, and is not touched', async () => {
  const testbed = open();
  const file = testbed.write('own/trust.json', { version: 1 });
  chmodSync(file, 0o600);
  chownSync(file, 12345, 12345);
  const { status, problems } = await runDoctor(testbed, { args: ['--fix'] });
  expect(status).toBe(9);
  expect(problems).toContainEqual(
    expect.objectContaining({ check: 'files.owner', title: '~/own/trust.json belongs to another user (uid 12345)' }),
  );
  expect(statSync(file).uid).toBe(12345);
});

test('a fix that fails is reported, and the problem stays', async () => {
  const testbed = open();
  testbed.write('.cursor/mcp.json', { mcpServers: { x: { command: 'codex', args: ['mcp-server'] } } });
  chmodSync(testbed.path('.cursor/mcp.json'), 0o444);
  const { status, problems } = await runDoctor(testbed, { args: ['--fix'] });
  expect(status).toBe(4);
  expect(problems[0]?.detail?.at(-1)).toMatch(/^Could not be fixed: .*read-only/);
});
