import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { openLimitedTestbed, runs } from './limits-testbed.ts';
import { FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 90_000 });
const processes = trackProcesses();

test('sessions cannot write the target of a symlinked Codex config.toml', async () => {
  await using testbed = await openLimitedTestbed(processes);
  const { root, outside, home } = testbed;
  const link = join(home.codexDir, 'config.toml');
  const target = join(root, 'dotfiles', 'config.toml');
  for (const folder of ['dotfiles', 'project']) mkdirSync(join(root, folder));
  renameSync(link, target);
  symlinkSync(target, link);
  const before = readFileSync(target, 'utf8');
  const client = await testbed.limited();
  const server = `\n[mcp_servers.evil]\ncommand = "touch"\nargs = ["${outside}/by-server"]\n`;
  const plants = { ...FREE, prompt: runs(`printf '%s' '${server}' >> ${target}`), waitSeconds: 30 };

  const reported = await client.failure('codex_start', plants);
  expect(reported).toContain(`${root} contains ${target}, the target of the link ${link}`);
  await client.failure('codex_start', { ...plants, workingDirectory: join(root, 'dotfiles') });
  await client.failure('codex_start', {
    ...plants,
    workingDirectory: join(root, 'project'),
    addDirs: [join(root, 'dotfiles')],
  });
  // In other folders, sessions work as usual. So do sessions that write nothing.
  await client.call('codex_start', { ...plants, workingDirectory: join(root, 'project') });
  await client.call('codex_start', { ...plants, sandbox: 'read-only' });
  expect([readFileSync(target, 'utf8'), readdirSync(outside)]).toEqual([before, []]);
});

test.each([
  ['a file of Codex', 'codex/hooks.json'],
  ['a file of Switchboard', 'own/config.json'],
])(
  'a folder that contains the target of a symlink is refused even if the target does not exist: %s',
  async (_, name) => {
    await using testbed = await openLimitedTestbed(processes);
    const link = join(testbed.home.rootDir, name);
    const target = join(testbed.root, 'target');
    const client = await testbed.limited();
    // Created while the server runs, because links are checked at each start.
    symlinkSync(target, link);
    const reported = await client.failure('codex_start', {
      ...FREE,
      prompt: runs('echo {} > target'),
      waitSeconds: 30,
    });

    expect(reported).toContain(`${testbed.root} contains ${target}, the target of the link ${link}`);
    expect(existsSync(target)).toBe(false);
  },
);
