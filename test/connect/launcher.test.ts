import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const ROOT = join(import.meta.dirname, '..', '..');
const ECHO_SERVER = join(ROOT, 'examples/echo.mjs');

/** Copies the package as npx would, with its dependencies beside it, and returns its root. */
function installPackage(testbed: Testbed, name: string): string {
  const modules = testbed.path(`${name}/node_modules`);
  const root = join(modules, 'switchboard');
  mkdirSync(root, { recursive: true });
  cpSync(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const needed = [...Object.keys(dependencies), 'path-key', 'shebang-command', 'shebang-regex', 'which', 'isexe'];
  for (const dependency of needed)
    cpSync(join(ROOT, 'node_modules', dependency), join(modules, dependency), { recursive: true, dereference: true });
  return root;
}

function run(testbed: Testbed, command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const variables = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') });
  const { status, stdout, stderr } = spawnSync(command, args, {
    env: { ...variables, ...env },
    encoding: 'utf8',
    cwd: testbed.path('project'),
  });
  return { status, stdout, stderr };
}

function connectFrom(testbed: Testbed, root: string) {
  testbed.write('.cursor/mcp.json', '{}');
  return run(testbed, process.execPath, [join(root, 'dist/cli/main.js'), 'connect', 'cursor', '--yes']);
}

const answered = { status: 0, stdout: `${VERSION}\n`, stderr: '' };

describe('the launcher', () => {
  test('starts without PATH, HOME and the package that it was installed from', () => {
    const testbed = newTestbed();
    const root = installPackage(testbed, 'npx');
    expect(connectFrom(testbed, root).status).toBe(0);
    rmSync(testbed.path('npx'), { recursive: true });
    const launcher = testbed.path('own/bin/switchboard');
    expect(spawnSync(launcher, ['--version'], { env: {}, encoding: 'utf8' })).toMatchObject(answered);
    // Needs a package that is not bundled.
    const connected = run(testbed, launcher, ['connect', 'codex', '--dry-run'], { PATH: '' });
    expect(connected).toMatchObject({ status: 0, stderr: '' });
    expect(connected.stdout).toContain('[mcp_servers.switchboard]');
  });

  test('servers find the programs that the shell of connect found, after those of the client', () => {
    const testbed = newTestbed();
    const program = (folder: string, name: string) => {
      const file = testbed.path(`${folder}/${name}`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!/usr/bin/env node\nimport(${JSON.stringify(ECHO_SERVER)});\n`, { mode: 0o755 });
    };
    program("it's, größer", 'shell-server');
    program('client', 'client-server');
    testbed.write('.cursor/mcp.json', '{}');
    const path = `${testbed.path("it's, größer")}:${process.env['PATH']}`;
    const main = join(ROOT, 'dist/cli/main.js');
    run(testbed, process.execPath, [main, 'connect', 'cursor', '--yes'], { PATH: path });
    const launcher = testbed.path('own/bin/switchboard');
    const works = (command: string, env: NodeJS.ProcessEnv) =>
      run(testbed, launcher, ['tools', '--json', '--', command], env).status;
    expect(works('shell-server', { PATH: '' })).toBe(0);
    expect(works('shell-server', { PATH: testbed.path('client') })).toBe(0);
    expect(works('client-server', { PATH: testbed.path('client') })).toBe(0);
    expect(works('client-server', { PATH: '' })).toBe(4);
  });

  test('finds another Node when the first one is gone or too old', () => {
    const testbed = newTestbed();
    connectFrom(testbed, ROOT);
    const launcher = testbed.path('own/bin/switchboard');
    const text = readFileSync(launcher, 'utf8');
    const write = (node: string) => writeFileSync(launcher, text.replaceAll(`'${process.execPath}'`, `'${node}'`));
    const old = testbed.path('old/bin/node');
    mkdirSync(dirname(old), { recursive: true });
    writeFileSync(old, '#!/bin/sh\necho v18.20.0\n', { mode: 0o755 });
    const other = testbed.path('.nvm/versions/node/v20.99.0/bin/node');
    mkdirSync(dirname(other), { recursive: true });
    writeFileSync(other, `#!/bin/sh\n[ "$1" = --version ] || echo other >&2\nexec ${process.execPath} "$@"\n`, {
      mode: 0o755,
    });
    for (const node of [old, '/nowhere/node']) {
      write(node);
      expect(run(testbed, launcher, ['--version'], { PATH: dirname(old) })).toEqual({ ...answered, stderr: 'other\n' });
    }
    expect(run(testbed, launcher, ['--version'], { PATH: `${dirname(old)}:${dirname(process.execPath)}` })).toEqual(
      answered,
    );
  });

  test('says what to do when it finds no Node, or no copy', () => {
    const testbed = newTestbed();
    connectFrom(testbed, ROOT);
    const launcher = testbed.path('own/bin/switchboard');
    const text = readFileSync(launcher, 'utf8');
    // The folders of the system may contain a Node.
    const withoutNode = text
      .replaceAll(`'${process.execPath}'`, "'/nowhere/node'")
      .replaceAll(/\/(usr|opt)\//g, '/nowhere/');
    writeFileSync(launcher, withoutNode);
    expect(run(testbed, launcher, ['--version'], { PATH: '' })).toEqual({
      status: 127,
      stdout: '',
      stderr: expect.stringContaining('Node 20.19 or newer was not found'),
    });
    rmSync(testbed.path('own/app'), { recursive: true });
    expect(run(testbed, launcher, ['--version'])).toEqual({
      status: 127,
      stdout: '',
      stderr: expect.stringContaining('Run: npx switchboard connect'),
    });
  });

  test('passes every argument on unchanged, and its folder may have any name', () => {
    const testbed = newTestbed();
    const home = testbed.path(`it's a "home" $HOME`);
    mkdirSync(home);
    testbed.write('.cursor/mcp.json', '{}');
    const main = join(ROOT, 'dist/cli/main.js');
    const env = { SWITCHBOARD_HOME: home };
    expect(run(testbed, process.execPath, [main, 'connect', 'cursor', '--yes'], env).status).toBe(0);
    const { stderr } = run(testbed, join(home, 'bin/switchboard'), ["a 'b' $c *"], { SWITCHBOARD_HOME: '' });
    expect(stderr).toContain("a 'b' $c *");
  });
});

describe('upgrade', () => {
  test('replaces what the launcher runs, and removes the old copy when no process uses it', async () => {
    const testbed = newTestbed();
    const older = installPackage(testbed, 'older');
    // Another build of the same version.
    writeFileSync(join(older, 'dist/cli/extra.js'), '// another build\n');
    connectFrom(testbed, older);
    const config = testbed.read('.cursor/mcp.json');
    const [first = ''] = readdirSync(testbed.path('own/app')).filter((name) => name !== 'current');
    const main = join(ROOT, 'dist/cli/main.js');
    const launcher = testbed.path('own/bin/switchboard');
    const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') });
    const running = spawn(launcher, ['gateway'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    running.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`);
    await once(running.stdout, 'data');
    const upgraded = run(testbed, process.execPath, [main, 'upgrade', '--json']);
    expect(JSON.parse(upgraded.stdout)).toMatchObject({
      version: VERSION,
      previous: first,
      changed: true,
      removed: [],
    });
    running.stdin.end();
    await once(running, 'exit');
    expect(JSON.parse(run(testbed, process.execPath, [main, 'upgrade', '--json']).stdout)).toMatchObject({
      changed: false,
      removed: [first],
    });
    expect(existsSync(testbed.path(`own/app/${first}`))).toBe(false);
    expect(run(testbed, launcher, ['--version'])).toEqual(answered);
    expect(testbed.read('.cursor/mcp.json')).toBe(config);
  });

  test('refuses to replace a newer version, and to work without a launcher', () => {
    const testbed = newTestbed();
    const main = join(ROOT, 'dist/cli/main.js');
    expect(run(testbed, process.execPath, [main, 'upgrade'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Run: switchboard connect'),
    });
    connectFrom(testbed, ROOT);
    const [copy = ''] = readdirSync(testbed.path('own/app')).filter((name) => name !== 'current');
    const newer = '99.0.0-abcdef';
    renameSync(testbed.path(`own/app/${copy}`), testbed.path(`own/app/${newer}`));
    writeFileSync(testbed.path('own/app/current'), `${newer}\n`);
    expect(run(testbed, process.execPath, [main, 'upgrade'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('already run 99.0.0'),
    });
    connectFrom(testbed, ROOT);
    expect(testbed.read('own/app/current')).toBe(`${newer}\n`);
  });
});
