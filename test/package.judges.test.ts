import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useTemporaryFolders } from './temporary-folder.ts';
import { verifies } from './verifies.ts';

/** A user's project with the package installed, from exactly the files that would be published. */
const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
let project = '';
let files: string[] = [];
let tarball = '';
const newFolder = useTemporaryFolders();
const judges = join(root, 'test/judges/node_modules');

beforeAll(() => {
  const scratch = join(root, 'test', '.tmp');
  mkdirSync(scratch, { recursive: true });
  project = mkdtempSync(join(scratch, 'package-'));
  files = pack('--dry-run').files.map(({ path }) => path);
  tarball = join(project, pack('--pack-destination', project).filename);
  for (const file of files) cpSync(join(root, file), join(project, 'node_modules', 'switchboard', file));
  for (const name of [...Object.keys(manifest.dependencies), '@types/node', 'undici-types', 'zod']) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

verifies(
  'kit:package:import',
  'a program imports the kit, runs and type-checks',
  () => {
    writeFileSync(
      join(project, 'server.ts'),
      `import { createServer, type Server, type ToolContext } from 'switchboard/kit';
import { createTestClient } from 'switchboard/kit/testing';
import { z } from 'zod';
const input = z.object({ count: z.number() });
const output = z.object({ double: z.number() });
const server: Server = createServer({ name: 'typed', version: '1.0.0' })
  .tool('double', { description: 'Doubles.', input, output }, ({ count }, context: ToolContext) => ({ double: count.valueOf() * 2, late: context.signal.aborted }))
  // @ts-expect-error: the input has no such member
  .tool('wrong-input', { description: '', input }, ({ other }) => String(other))
  // @ts-expect-error: the output must have a number
  .tool('wrong-output', { description: '', output }, () => ({ double: 'two' }));
const client = await createTestClient(server);
process.stdout.write(JSON.stringify((await client.callTool('double', { count: 21 })).structuredContent));
await client.close();
`,
    );
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
    const options = [
      '--ignoreConfig',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--types',
      'node',
    ];
    const checked = spawnSync(process.execPath, [tsc, ...options, 'server.ts'], { cwd: project, encoding: 'utf8' });
    expect(checked.stdout).toBe('');
    const printed = execFileSync(process.execPath, ['server.js'], { cwd: project, encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual({ double: 42 });
  },
  30_000,
);

test('the package contains programs, types, documents and examples, and nothing of the tests', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'dist/kit/index.js',
      'dist/kit/index.d.ts',
      'dist/cli/main.js',
      'examples/echo.mjs',
    ]),
  );
  expect(files.filter((file) => /^(src|test)\/|node_modules\/|\.test\./.test(file))).toEqual([]);
});

test('the package is small: no source maps, at most 1.5 MB', () => {
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  expect(pack('--dry-run').size).toBeLessThanOrEqual(1_500_000);
});

test('neither the package nor a package that it needs has an install script', () => {
  const scripts = ['preinstall', 'install', 'postinstall', 'prepare'];
  expect(Object.keys(manifest.scripts).filter((name) => scripts.includes(name))).toEqual([]);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.entries<{ dev?: boolean; hasInstallScript?: boolean }>(packages);
  expect(installed.filter(([, { dev, hasInstallScript }]) => dev !== true && hasInstallScript === true)).toEqual([]);
});

describe.each([
  ['20', process.execPath],
  ['22', join(judges, 'node-22/bin/node')],
  ['24', join(judges, 'node/bin/node')],
])('npx in an empty folder, with Node %s', (major, node) => {
  const npx = (cwd: string, ...args: readonly string[]) => {
    const { NODE_OPTIONS: _, npm_execpath: __, ...inherited } = process.env;
    const env = {
      ...inherited,
      PATH: `${dirname(node)}${delimiter}${inherited['PATH']}`,
      HOME: cwd,
      SWITCHBOARD_HOME: join(cwd, 'own'),
      npm_config_cache: join(project, 'npm-cache'),
      npm_config_userconfig: inherited['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
    };
    const npmArgs = [npmProgram(), 'exec', '--yes', '--package', tarball, '--'];
    return spawnSync(node, [...npmArgs, ...args], { cwd, env, encoding: 'utf8' });
  };

  test('starts, serves and calls', () => {
    const cwd = newFolder();
    expect(npx(cwd, 'node', '--version').stdout).toMatch(new RegExp(`^v${major}\\.`));
    expect(npx(cwd, 'switchboard', '--version').stdout).toBe(`${manifest.version}\n`);
    const echo = join(root, 'examples', 'echo.mjs');
    cpSync(echo, join(project, 'echo.mjs'));
    const call = ['call', 'echo', 'message=hello', '--', node, join(project, 'echo.mjs')];
    expect(npx(cwd, 'switchboard', ...call)).toMatchObject({ status: 0, stdout: 'You said: hello\n' });
    expect(npx(cwd, 'switchboard', 'connect', 'cursor', '--yes')).toMatchObject({ status: 0 });
    const { mcpServers } = JSON.parse(readFileSync(join(cwd, '.cursor/mcp.json'), 'utf8'));
    const started = spawnSync(mcpServers.switchboard.command, ['--version'], { env: {}, encoding: 'utf8' });
    expect(started).toMatchObject({ status: 0, stdout: `${manifest.version}\n` });
    // What clients run from now on, with the packages that it needs.
    expect(bytesIn(join(cwd, 'own/app'))).toBeLessThan(4_000_000);
  }, 240_000);
});

function bytesIn(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

function pack(...options: readonly string[]): Packed {
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const args = [npmProgram(), 'pack', '--json', ...options];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', stdio: [...stdio] }))[0];
}

/** npm tells its scripts where it is. Otherwise it is beside Node. */
function npmProgram(): string {
  const found = process.env['npm_execpath'];
  return found ?? realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim());
}
