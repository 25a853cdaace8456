import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { entryWarnings } from '../../src/config/entry/entry-warnings.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { useFolders } from '../config/folder.ts';

const newFolder = useFolders();

async function warningsOf(server: object, file = 'home/.config/switchboard/config.json') {
  const folder = newFolder();
  folder.write(file, { version: 1, mcp: { servers: { a: server } } });
  const [found] = (await loadConfig(folder.testEnvironment())).servers;
  if (found?.verdict.kind !== 'usable') throw new Error('The server cannot be used.');
  return entryWarnings(found.verdict.entry, undefined);
}

test('Node loads such a module from the folder it starts in', () => {
  const folder = newFolder();
  folder.write('project/node_modules/dotenv/config.js', 'console.log("EVIL")');
  folder.write('installed/server.js', '');
  const args = ['-r', 'dotenv/config', `${folder.path}/installed/server.js`];
  const { stdout } = spawnSync(process.execPath, args, { cwd: `${folder.path}/project`, encoding: 'utf8' });
  expect(stdout).toBe('EVIL\n');
});

test.each([
  ['node', ['-r', 'dotenv/config', '/opt/server.js'], '-r dotenv/config'],
  ['node', ['--import', 'tsx', '/opt/server.ts'], '--import tsx'],
  ['/usr/bin/node', ['--no-warnings', '--env-file=.env', '/opt/server.js'], '--env-file=.env'],
  ['nice', ['node', '--loader=ts-node/esm', '/opt/server.ts'], '--loader=ts-node/esm'],
  ['env', ['A=b', 'nodejs', '--require', './x.js', '/opt/server.js'], '--require ./x.js'],
  ['node', ['-r', '/opt/a.js', '-r', 'b', '-e', 'code'], '-r b'],
])('%s %j loads files from the project, and a warning names the option', async (command, args, option) => {
  expect(await warningsOf({ command, args })).toEqual([
    `${option} is resolved in the folder where Node starts, even in a project that you do not trust: use an absolute path, or set cwd`,
  ]);
});

test('NODE_OPTIONS of the entry is checked too', async () => {
  const env = { NODE_OPTIONS: '--max-old-space-size=512 --import tsx' };
  expect(await warningsOf({ command: 'my-server', env })).toEqual([
    expect.stringMatching(/^NODE_OPTIONS --import tsx is resolved in the folder/),
  ]);
});

test.each([
  ['node', ['-r', '/opt/a.js', '--import', 'file:///opt/b.js', '--import=node:test', '/opt/server.js']],
  ['node', ['/opt/server.js', '-r', 'dotenv/config']],
  ['node', ['-e', 'code', '-r', 'a']],
  ['node', ['--env-file=/opt/.env', '/opt/server.js']],
  ['my-server', ['-r', 'dotenv/config']],
])('there is no warning about %s %j', async (command, args) => {
  expect(await warningsOf({ command, args })).toEqual([]);
});

test('there is no warning with a cwd', async () => {
  expect(await warningsOf({ command: 'node', args: ['-r', 'a', 'b.js'], cwd: '/opt' })).toEqual([]);
});
