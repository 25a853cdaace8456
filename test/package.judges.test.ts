import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifies } from './verifies.ts';

/** A user's project with the package installed, from exactly the files that would be published. */
const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
let project = '';
let files: string[] = [];

beforeAll(() => {
  const scratch = join(root, 'test', '.tmp');
  mkdirSync(scratch, { recursive: true });
  project = mkdtempSync(join(scratch, 'package-'));
  files = packedFiles();
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
      'CHANGELOG.md',
      'dist/kit/index.js',
      'dist/kit/index.d.ts',
      'dist/cli/main.js',
      'examples/echo.mjs',
    ]),
  );
  expect(files.filter((file) => /^(src|test)\/|node_modules\/|\.test\./.test(file))).toEqual([]);
});

function packedFiles(): string[] {
  const npm = process.env['npm_execpath'];
  const [command, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const listed = execFileSync(command, [...args, 'pack', '--dry-run', '--json'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(listed)[0].files.map(({ path }: { path: string }) => path);
}
