import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPinStore } from '../../src/config/trust/pin-store.ts';
import { openCatalogCache } from '../../src/upstream/catalog-cache/catalog-cache.ts';
import { trackProcesses } from '../processes.ts';
import { useFolders } from './folder.ts';

const processes = trackProcesses();
const newFolder = useFolders();
const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name);

let modules = '';
beforeAll(async () => {
  modules = mkdtempSync(join(tmpdir(), 'switchboard-modules-'));
  const entryPoints = ['src/upstream/catalog-cache/catalog-cache.ts', 'src/config/trust/pin-store.ts'].map((file) =>
    join(root, file),
  );
  const outExtension = { '.js': '.mjs' };
  await build({ entryPoints, outdir: modules, outExtension, bundle: true, format: 'esm', platform: 'node' });
});
afterAll(() => rmSync(modules, { recursive: true, force: true }));

const moduleAt = (path: string) => pathToFileURL(join(modules, path)).href;

describe('two processes', () => {
  test('write the same catalog at once, and readers see one complete version', async () => {
    const folder = newFolder().path;
    const writers = ['a', 'b'].map((letter) => writeCatalogs(folder, { letter, times: 200, bytes: 50_000 }));
    const { cache } = openCache(folder);
    const found: (string | undefined)[] = [];
    let isDone = false;
    const done = Promise.all(writers).finally(() => {
      isDone = true;
    });
    let broken = 0;
    while (!isDone) {
      const catalog = cache.read('server', 'key');
      if (catalog !== undefined && !isWhole(catalog.initializeResult, catalog.lists.tools ?? [])) broken++;
      found.push(catalog?.initializeResult);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const outputs = await done;
    expect(outputs.map(({ stdout }) => stdout)).toEqual(['[]', '[]']);
    expect(broken).toBe(0);
    // After the first write, the file always exists: replacing it leaves no gap.
    const first = found.findIndex((facts) => facts !== undefined);
    expect(found.slice(first)).not.toContain(undefined);
    expect(cache.read('server', 'key')?.initializeResult).toMatch(/^\{"letter":"[ab]"\}$/);
    expect(readdirSync(join(folder, 'catalogs'))).toHaveLength(1);
  });

  test('pin servers concurrently without losing a pin', async () => {
    const folder = newFolder().path;
    const letters = ['a', 'b', 'c'];
    const pin = (letter: string) => [
      fixture('pins-servers.mjs'),
      moduleAt('config/trust/pin-store.mjs'),
      folder,
      letter,
      '30',
    ];
    await Promise.all(letters.map((letter) => run(process.execPath, pin(letter), { env: processes.env() })));
    const store = openPinStore({ cwd: folder, home: folder, env: { SWITCHBOARD_HOME: folder }, platform: 'linux' });
    const ids = letters.flatMap((letter) => Array.from({ length: 30 }, (_, time) => `${letter}${time}`));
    expect(ids.filter((id) => store.read('config.json', id) === undefined)).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.startsWith('pins'))).toEqual(['pins.json']);
  });
});

describe('a full disk', () => {
  test('keeps the old catalog, leaves no partial file, and is reported once', async () => {
    const folder = newFolder().path;
    await writeCatalogs(folder, { letter: 'a', times: 1, bytes: 100 });
    // A file size limit simulates a full disk without privileges: the write fails halfway.
    const { stdout } = await writeCatalogs(folder, { letter: 'b', times: 3, bytes: 500_000 }, 'ulimit -f 64');
    const problem = `The catalog cache ${join(folder, 'catalogs')} cannot be written: EFBIG.`;
    expect(JSON.parse(stdout)).toEqual([problem]);
    expect(openCache(folder).cache.read('server', 'key')?.initializeResult).toBe('{"letter":"a"}');
    expect(readdirSync(join(folder, 'catalogs'))).toHaveLength(1);
  });
});

describe('a planted named pipe', () => {
  test('in place of a catalog does not block', async () => {
    const folder = newFolder().path;
    await writeCatalogs(folder, { letter: 'a', times: 1, bytes: 100 });
    const file = join(folder, 'catalogs', readdirSync(join(folder, 'catalogs'))[0] ?? '');
    rmSync(file);
    await run('mkfifo', [file], { env: processes.env() });
    const { cache, problems } = openCache(folder);
    expect(cache.read('server', 'key')).toBeUndefined();
    const catalog = { initializeResult: '{}', lists: {} };
    await cache.write('server', 'key', catalog);
    expect([cache.read('server', 'key'), problems]).toEqual([catalog, []]);
  });
});

interface Writing {
  readonly letter: string;
  readonly times: number;
  readonly bytes: number;
}

function writeCatalogs(folder: string, { letter, times, bytes }: Writing, before = ':') {
  const args = [moduleAt('upstream/catalog-cache/catalog-cache.mjs'), folder, letter, String(times), String(bytes)];
  const command = [process.execPath, fixture('writes-catalogs.mjs'), ...args];
  return run('sh', ['-c', `${before}; exec "$@"`, 'sh', ...command], { env: processes.env() });
}

function openCache(folder: string) {
  const problems: string[] = [];
  const onProblem = (problem: string) => void problems.push(problem);
  return { cache: openCatalogCache({ folder, now: () => Date.now(), onProblem }), problems };
}

function isWhole(facts: string, pages: readonly Buffer[]): boolean {
  const [, letter = ''] = /"letter":"(.)"/.exec(facts) ?? [];
  return pages.length === 2 && pages.every((page) => page.toString() === `["${letter.repeat(50_000)}"]`);
}
