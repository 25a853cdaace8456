import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { entryWarnings } from '../../src/config/entry/entry-warnings.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { resolveStdio } from '../../src/config/resolve/resolve-stdio.ts';
import type { ServerEntry } from '../../src/config/server-entry.ts';
import { useFolders } from '../config/folder.ts';

const newFolder = useFolders();

/** The first version that supports PYTHONSAFEPATH. */
const PYTHON = ['python3.13', 'python3.12', 'python3.11', '/usr/bin/python3', 'python3'].find((name) => {
  const { stdout } = spawnSync(name, ['-c', 'import sys; print(sys.version_info >= (3, 11))'], { encoding: 'utf8' });
  return stdout?.trim() === 'True';
});

/** An untrusted project with a module of the same name as the one that the user's config runs. */
function hostileProject() {
  const folder = newFolder();
  const testEnvironment = folder.testEnvironment();
  const probe = `import json, os, sys\nprint(json.dumps([WHO, os.getcwd(), sys.argv[1:]]))\n`;
  folder.write('project/probe.py', `WHO = 'EVIL'\n${probe}`);
  folder.write('installed/probe.py', `WHO = 'installed'\n${probe}`);
  folder.write('installed/beside.py', '');
  folder.write('installed/main.py', `import beside\nWHO = 'script'\n${probe}`);
  const resolve = (entry: ServerEntry, env: Record<string, string> = {}) =>
    resolveStdio(entry, { PATH: process.env['PATH'], ...env }, testEnvironment);
  return {
    folder,
    resolve,
    async entry(server: object): Promise<ServerEntry> {
      const env = { PYTHONPATH: `${folder.path}/installed`, ...Object(server).env };
      const content = { version: 1, mcp: { servers: { probe: { ...server, env } } } };
      folder.write('home/.config/switchboard/config.json', content);
      const [found] = (await loadConfig(testEnvironment)).servers;
      if (found?.verdict.kind !== 'usable') throw new Error('The server cannot be used.');
      return found.verdict.entry;
    },
    async start({ command, args, cwd = `${folder.path}/project`, env }: ReturnType<typeof resolve>) {
      const started = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 50_000 });
      const [stdout, stderr] = await Promise.all([text(started.stdout), text(started.stderr)]);
      return stderr === '' ? JSON.parse(stdout) : stderr;
    },
  };
}

describe.skipIf(PYTHON === undefined)('Python from the global config, in an untrusted project', () => {
  const python = PYTHON ?? '';

  test.each([
    [python, ['-m', 'probe', '.', 'two words']],
    [python, ['-um', 'probe', '.', 'two words']],
    [python, ['-W', 'ignore', '-m', 'probe', '.', 'two words']],
    [python, ['-c', 'import probe', '.', 'two words']],
    ['env', ['A=b', python, '-m', 'probe', '.', 'two words']],
    ['nice', [python, '-m', 'probe', '.', 'two words']],
    ['timeout', ['50', python, '-m', 'probe', '.', 'two words']],
  ])('%s %j runs no module of the project, and the server keeps its folder and arguments', async (command, args) => {
    const { folder, entry, resolve, start } = hostileProject();
    const resolved = resolve(await entry({ command, args }));
    expect(resolved).toMatchObject({ command, args, cwd: undefined });
    expect(await start(resolved)).toEqual(['installed', `${folder.path}/project`, ['.', 'two words']]);
  });

  test('a script still finds the modules beside it', async () => {
    const { folder, entry, resolve, start } = hostileProject();
    const script = await entry({
      command: python,
      args: [`${folder.path}/installed/main.py`],
      env: { PYTHONPATH: '' },
    });
    expect(await start(resolve(script))).toEqual(['script', `${folder.path}/project`, []]);
  });

  test('with a cwd, its own PYTHONSAFEPATH, or trust in every project, it runs as written', async () => {
    const { folder, entry, resolve, start } = hostileProject();
    const line = { command: python, args: ['-m', 'probe'] };
    const evil = ['EVIL', `${folder.path}/project`, []];
    const bound = await entry({ ...line, cwd: `${folder.path}/project` });
    expect(await start(resolve(bound))).toEqual(evil);
    const own = await entry({ ...line, env: { PYTHONSAFEPATH: '' } });
    expect(await start(resolve(own))).toEqual(evil);
    expect(await start(resolve(await entry(line), { SWITCHBOARD_TRUST_PROJECT: '1' }))).toEqual(evil);
  });
});

const OLD = 'Python before 3.11 loads modules from the folder where it starts';

test.each([
  ['python3', ['-m', 'x'], OLD],
  ['python', ['-m', 'x'], OLD],
  ['python3.10', ['-Bm', 'x'], OLD],
  ['py', ['-3', '-m', 'x'], OLD],
  ['/usr/bin/env', ['A=b', 'python3', '-m', 'x'], OLD],
  ['timeout', ['50', 'python3', '-c', 'import x'], OLD],
  ['python3.12', ['-E', '-m', 'x'], 'python3.12 -m loads modules from the folder where it starts'],
  ['env', ['-i', 'python3.12', '-m', 'x'], 'python3.12 -m loads modules '],
  ['sh', ['-c', 'exec python3 -u -m x'], 'python3 -m loads modules '],
  ['uv', ['run', '--project', '/opt/p', 'python3', '-m', 'x'], OLD],
  ['uv', ['run', '--project=/opt/p', '-m', 'x'], OLD],
  ['uvx', ['--from', 'p', 'python3', '-m', 'x'], OLD],
  ['uvx', ['python@3.10', '-m', 'x'], OLD],
  ['uv', ['tool', 'run', '--with', 'p', 'python', '-c', 'import x'], OLD],
  ['nice', ['uvx', '--from=p', 'python3.12', '-E', '-m', 'x'], 'python3.12 -m loads modules '],
  ['poetry', ['run', 'python', '-m', 'x'], 'python -m loads modules '],
])('%s %j may take modules from the project, and a warning says so', async (command, args, words) => {
  const entry = await hostileProject().entry({ command, args });
  expect(entryWarnings(entry, undefined)).toEqual([expect.stringContaining(words)]);
});

test.each([
  ['python3.11', ['-m', 'x']],
  ['python3.13', ['-Xdev', '-m', 'x']],
  ['py', ['-3.12', '-m', 'x']],
  ['python3', ['-I', '-m', 'x']],
  ['python3', ['-uP', '-m', 'x']],
  ['python3', ['/opt/server.py', '-m', 'x']],
  ['python3', ['-X', 'dev', '/opt/server.py']],
  ['uv', ['run', '--directory', '/opt/p', 'python3', '-m', 'x']],
  ['uv', ['run', '--project', '/opt/p', 'serve', '-m', 'x']],
  ['uv', ['pip', 'install', 'python']],
  ['uvx', ['--from', 'p', 'python3.12', '-m', 'x']],
  ['uvx', ['--python', '3.12', 'mcp-server-git']],
  ['docker', ['run', 'image', 'python', '-m', 'x']],
  ['node', ['server.js', 'python', '-m', 'x']],
])('there is no warning about %s %j', async (command, args) => {
  expect(entryWarnings(await hostileProject().entry({ command, args }), undefined)).toEqual([]);
});
