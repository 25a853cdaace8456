import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAuthStore } from '../../src/auth/store/auth-store.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

let modules = '';
let home = '';
beforeEach(async () => {
  modules = mkdtempSync(join(tmpdir(), 'switchboard-modules-'));
  home = mkdtempSync(join(tmpdir(), 'switchboard-store-'));
  const contents = `export * from './src/auth/store/auth-store.ts'; export { emptyRecord } from './src/auth/store/auth-record.ts';`;
  const outfile = join(modules, 'store.mjs');
  await build({ stdin: { contents, resolveDir: root }, outfile, bundle: true, format: 'esm', platform: 'node' });
});
afterEach(() => {
  for (const folder of [modules, home]) rmSync(folder, { recursive: true, force: true });
});

test('three concurrent processes lose no sign-in, and readers always find a complete file', async () => {
  const letters = ['a', 'b', 'c'];
  const module = pathToFileURL(join(modules, 'store.mjs')).href;
  const program = join(import.meta.dirname, 'fixtures', 'store-writer.mjs');
  const writers = letters.map((letter) =>
    run(process.execPath, [program, module, home, letter, '30'], { env: processes.env() }),
  );
  const store = openAuthStore({ cwd: home, home, env: { SWITCHBOARD_HOME: home }, platform: process.platform });
  let isDone = false;
  const done = Promise.all(writers).finally(() => {
    isDone = true;
  });
  let reads = 0;
  while (!isDone) {
    const found = store.read('a0', 'https://a/')?.accessToken;
    expect(found === undefined || found === 'a'.repeat(2_000)).toBe(true);
    reads++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await done;
  const ids = letters.flatMap((letter) => Array.from({ length: 30 }, (_, index) => `${letter}${index}`));
  expect(ids.filter((id) => store.read(id, 'https://a/')?.accessToken !== id.charAt(0).repeat(2_000))).toEqual([]);
  expect(reads).toBeGreaterThan(10);
  expect(readdirSync(home)).toEqual(['mcp-auth.json']);
  expect(statSync(join(home, 'mcp-auth.json')).mode & 0o777).toBe(0o600);
});

test('a process that cannot write reports it, and leaves nothing that blocks others', async () => {
  const module = pathToFileURL(join(modules, 'store.mjs')).href;
  const program = join(import.meta.dirname, 'fixtures', 'store-writer.mjs');
  const limited = ['-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath, program, module, home, 'a', '1'];
  await expect(run('sh', limited, { env: processes.env() })).rejects.toMatchObject({
    stderr: expect.stringContaining('The sign-in cannot be stored: EFBIG. Free up disk space and try again.'),
  });
  expect(readdirSync(home)).toEqual([]);
});
