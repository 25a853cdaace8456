import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { GLOBAL, ownConfig, PROJECT, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';

const newTestbed = useTestbeds(trackProcesses());
const TEXT = '{ "mcpServers": {} }';

/** A home in which much was used. */
async function open(): Promise<{ testbed: Testbed; env: Record<string, string> }> {
  const testbed = newTestbed();
  const env = { SWITCHBOARD_CODE_CACHE: testbed.path('own/code') };
  testbed.write(GLOBAL, ownConfig({ one: { transport: 'stdio', ...fixture('well-behaved') } }));
  testbed.write('.cursor/mcp.json', TEXT);
  await testbed.run(['connect', 'cursor', 'windsurf', '--yes'], { env });
  await testbed.run(['warm'], { env });
  await testbed.run(['secret', 'set', 'NAME'], { env, stdin: 'value\n' });
  await testbed.run(['share', 'one', 'cursor', '--remove'], { env });
  return { testbed, env };
}

test('uninstall removes everything but the config and files that are not ours', async () => {
  const { testbed, env } = await open();
  testbed.write('own/notes.txt', 'mine');
  const shown = await testbed.run(['uninstall'], { env });
  expect([shown.status, shown.stderr]).toEqual([2, expect.stringContaining('run: switchboard uninstall --yes')]);
  expect(shown.stdout).toContain(testbed.path('own/app'));
  expect(shown.stdout).toContain(`Your config will be kept: ${testbed.path(GLOBAL)}. To remove it too, add --config.`);
  const done = await testbed.run(['uninstall', '--yes'], { env });
  expect(done).toMatchObject({ status: 0, stderr: '' });
  const kept = `Your config was kept: ${testbed.path(GLOBAL)}. To remove it, run: switchboard uninstall --config --yes`;
  expect(done.stdout).toContain(kept);
  expect(readdirSync(testbed.path('own'))).toEqual(['config.json', 'notes.txt']);
  await testbed.run(['uninstall', '--config', '--yes'], { env });
  expect(readdirSync(testbed.path('own'))).toEqual(['notes.txt']);
  expect([testbed.read('.cursor/mcp.json'), testbed.exists('.codeium')]).toEqual([TEXT, false]);
});

test('uninstall --config leaves nothing', async () => {
  const { testbed, env } = await open();
  expect(await testbed.run(['uninstall', '--config', '--yes'], { env })).toMatchObject({ status: 0, stderr: '' });
  expect(readdirSync(testbed.folder).sort()).toEqual(['.cursor', 'project']);
});

test('uninstall removes the config of a project only if it holds nothing', async () => {
  const { testbed, env } = await open();
  testbed.write(PROJECT, ownConfig({}));
  const kept = [
    testbed.write('.switchboard/config.json', ownConfig({ mine: { enabled: false } })),
    testbed.write('project/.switchboard/notes.txt', 'mine'),
  ];
  const { stdout } = await testbed.run(['uninstall', '--yes'], { env });
  expect(stdout).toContain(`\n  ${testbed.path(PROJECT)}\n`);
  expect(stdout).not.toContain(kept[0]);
  expect([testbed.exists(PROJECT), ...kept.map(existsSync)]).toEqual([false, true, true]);
});

test('uninstall names the sign-ins, signs out of each, and says which could not be revoked', async () => {
  const { testbed, env } = await open();
  const record = { access_token: 'x', url: 'http://127.0.0.1:9/mcp' };
  testbed.write('own/mcp-auth.json', { version: 1, servers: { notes: record, 'old one': record } });
  const shown = await testbed.run(['uninstall', '--dry-run'], { env });
  expect(shown.stdout).toContain('\nSign-ins to end: notes, "old one"\n');
  const { stdout } = await testbed.run(['uninstall', '--yes'], { env });
  for (const name of ['notes', '"old one"'])
    expect(stdout).toContain(`\nSigned out of ${name}. Its tokens could not be revoked at the authorization server`);
  expect(testbed.exists('own/mcp-auth.json')).toBe(false);
});

test('uninstall lists a folder without the paths inside it', async () => {
  const { testbed, env } = await open();
  const { stdout } = await testbed.run(['uninstall', '--dry-run', '--json'], { env });
  const { files } = JSON.parse(stdout) as { files: string[] };
  expect(files).toContain(testbed.path('own/code'));
  expect(files.filter((file) => files.some((other) => file.startsWith(`${other}/`)))).toEqual([]);
});

test('uninstall --dry-run changes nothing', async () => {
  const { testbed, env } = await open();
  // Any command may save its own compiled code.
  const list = () =>
    readdirSync(testbed.folder, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('own/code'));
  const before = list();
  expect((await testbed.run(['uninstall', '--dry-run'], { env })).status).toBe(0);
  expect(list()).toEqual(before);
});
