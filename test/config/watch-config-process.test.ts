import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useFolders } from './folder.ts';

const newFolder = useFolders();
const processes = trackProcesses();
const outdir = fileURLToPath(new URL(`../.tmp/${randomUUID()}`, import.meta.url));

beforeAll(async () => {
  const names = ['only-watches', 'has-no-descriptors-left'];
  await build({
    entryPoints: names.map((name) => fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url))),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
});
afterAll(() => rm(outdir, { recursive: true, force: true }));

test('a watch does not keep the process alive', async () => {
  const file = newFolder().write('x.json', 'one');
  const program = spawn(process.execPath, [`${outdir}/only-watches.mjs`, file], {
    env: processes.env(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
  expect(await lines.next()).toEqual({ value: 'watching', done: false });
  expect(await once(program, 'close')).toEqual([0, null]);
});

// Only on this system is it known that a watch needs a descriptor, and how to limit their number.
test.skipIf(process.platform !== 'linux')(
  'a folder that cannot be watched is reported once, and its files are polled until it can be',
  async () => {
    const file = newFolder().write('x.json', 'one');
    const script = 'ulimit -n 100; exec "$0" "$@"';
    const args = ['-c', script, process.execPath, `${outdir}/has-no-descriptors-left.mjs`, file];
    const program = spawn('/bin/sh', args, { env: processes.env(), stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(program, 'close');
    const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
    const next = async () => (await lines.next()).value;
    try {
      expect(await next()).toBe('starving');
      expect(await next()).toBe(
        'The folder / cannot be watched (too many files are open): config files are checked every 2 s instead.',
      );
      // Earlier changes do not count.
      expect(await next()).toBe('watching');
      for (const content of ['two', 'three']) {
        writeFileSync(file, content);
        expect(await next()).toBe('changed');
      }
      program.stdin.write('give back\n');
      expect(await next()).toBe('gave back');
      for (const content of ['four', 'five', 'six', 'seven', 'eight', 'nine']) {
        writeFileSync(file, content);
        expect(await next()).toBe('changed');
      }
    } finally {
      program.kill();
    }
    expect(await ended).toEqual([null, 'SIGTERM']);
  },
  120_000,
);
