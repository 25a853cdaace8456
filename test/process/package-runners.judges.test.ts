import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { entryWarnings } from '../../src/config/entry/entry-warnings.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { resolveStdio } from '../../src/config/resolve/resolve-stdio.ts';
import type { ServerEntry } from '../../src/config/server-entry.ts';

const made: string[] = [];
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** The `npx` next to this node, usually a link to `npx-cli.js`. */
const NPX = join(dirname(process.execPath), 'npx');

/** npm is slow on a busy machine. */
const NPM_MS = 180_000;

describe.skipIf(process.platform === 'win32')(
  'a package runner from the global config, in an untrusted project',
  () => {
    test.each([
      ['npx', ['-y']],
      ['npm', ['exec', '-y', '--']],
      ['nice', ['npx', '-y']],
      ['timeout', ['50', 'npx', '-y']],
      ['/usr/bin/env', ['-S', 'npx -y']],
      [process.execPath, ['--no-warnings', NPX, '-y']],
    ])(
      '%s %j runs nothing of the project, and the server keeps its folder and arguments',
      async (command, before) => {
        const testbed = hostileProject();
        const args = [...before, `file:${testbed.path('package')}`, '.', 'two words', '$HOME', '--flag'];
        const entry = await testbed.entry({ command, args });
        const { status, stdout, stderr } = await testbed.start(entry);
        expect(stderr).not.toContain('EVIL');
        expect([status, JSON.parse(stdout)]).toEqual([
          0,
          {
            cwd: testbed.path('project'),
            args: ['.', 'two words', '$HOME', '--flag'],
            initCwd: testbed.path('project'),
            path: expect.not.stringContaining(testbed.path('project')),
            leaked: [],
          },
        ]);
      },
      NPM_MS,
    );

    test('with a cwd, or with trust in every project, it runs as written', async () => {
      const testbed = hostileProject();
      const free = await testbed.entry({ command: 'npx', args: ['x'] });
      const bound = await testbed.entry({ command: 'npx', args: ['x'], cwd: testbed.path('project') });
      expect(testbed.resolve(free).cwd).toBe(testbed.path('home/.cache/switchboard/npm'));
      expect(testbed.resolve(bound).cwd).toBe(testbed.path('project'));
      expect(testbed.resolve(free, { SWITCHBOARD_TRUST_PROJECT: '1' }).cwd).toBeUndefined();
      const other = await testbed.entry({ command: 'node', args: ['npx'] });
      expect(testbed.resolve(other).cwd).toBeUndefined();
    });

    test.each([
      ['pnpm', ['dlx', 'x'], "pnpm dlx prefers packages, scripts and settings from the client's folder"],
      ['yarn', ['dlx', 'x'], 'yarn dlx prefers '],
      ['npm', ['run', 'x'], 'npm run prefers '],
      ['bunx', ['x'], 'bunx prefers '],
      ['npx', ['--script-shell=/bin/bash', 'x'], 'npx prefers '],
      ['xargs', ['npx', 'x'], 'npx prefers '],
      ['uv', ['run', 'x'], 'uv run prefers '],
      ['deno', ['run', '-A', 'npm:x'], 'deno run prefers '],
      ['bun', ['server.ts'], 'bun prefers '],
    ])('%s %j cannot be prevented from it, and a warning says so', async (command, args, words) => {
      const entry = await hostileProject().entry({ command, args });
      expect(entryWarnings(entry, undefined)).toEqual([expect.stringContaining(words)]);
    });

    test.each([
      ['npx', ['x']],
      ['uvx', ['x']],
      ['npm', ['view', 'x']],
    ])('there is no warning about %s %j', async (command, args) => {
      expect(entryWarnings(await hostileProject().entry({ command, args }), undefined)).toEqual([]);
    });
  },
);

/** A project whose programs and settings must not be used, and a package outside of it. */
function hostileProject() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-runner-')));
  made.push(folder);
  const path = (name: string) => join(folder, name);
  const write = (name: string, content: string, mode = 0o644) => {
    mkdirSync(join(path(name), '..'), { recursive: true });
    writeFileSync(path(name), content);
    chmodSync(path(name), mode);
  };
  for (const name of ['probe', 'node', 'sh', 'env'])
    write(`project/node_modules/.bin/${name}`, `#!/bin/sh\necho EVIL ${name} >&2\nexit 3\n`, 0o755);
  write('project/.npmrc', `script-shell=${path('project/node_modules/.bin/sh')}\nregistry=http://127.0.0.1:9/\n`);
  write('project/package.json', '{ "name": "project", "scripts": { "x": "exit 3" } }');
  write('package/package.json', '{ "name": "probe", "version": "1.0.0", "bin": { "probe": "probe.cjs" } }');
  write('package/probe.cjs', PROBE, 0o755);
  const testEnvironment = { cwd: path('project'), home: path('home'), env: {}, platform: process.platform };
  const environment = { PATH: process.env['PATH'], HOME: path('home') };
  const resolve = (entry: ServerEntry, env: Record<string, string> = {}) =>
    resolveStdio(entry, { ...environment, ...env }, testEnvironment);
  return {
    path,
    resolve,
    async entry(server: object): Promise<ServerEntry> {
      const content = { version: 1, mcp: { servers: { probe: server } } };
      write('home/.config/switchboard/config.json', JSON.stringify(content));
      const [found] = (await loadConfig({ ...testEnvironment, platform: 'linux' })).servers;
      if (found?.verdict.kind !== 'usable') throw new Error('The server cannot be used.');
      return found.verdict.entry;
    },
    async start(entry: ServerEntry) {
      const { command, args, cwd = path('project'), env } = resolve(entry);
      const started = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: NPM_MS });
      const exited = new Promise<number | null>((done) => started.once('exit', (code) => done(code)));
      const [stdout, stderr, status] = await Promise.all([text(started.stdout), text(started.stderr), exited]);
      return { stdout, stderr, status };
    },
  };
}

const PROBE = `#!/usr/bin/env node
const { INIT_CWD: initCwd, PATH: path } = process.env;
const leaked = Object.keys(process.env).filter((name) => /^SWITCHBOARD_|script_shell/.test(name));
console.log(JSON.stringify({ cwd: process.cwd(), args: process.argv.slice(2), initCwd, path, leaked }));
`;
