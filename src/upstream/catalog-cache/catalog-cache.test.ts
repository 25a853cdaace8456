import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { modeOf, useTemporaryFolders } from '../../../test/temporary-folder.ts';
import { type CatalogCache, openCatalogCache, type StoredCatalog } from './catalog-cache.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 16);

const catalog: StoredCatalog = {
  initializeResult: '{"protocolVersion":"2025-11-25","instructions":"é\\n"}',
  lists: {
    tools: [Buffer.from('[{"name":"a","n":9007199254740993,"x":1e400}]'), Buffer.from('[ ]')],
    prompts: [Buffer.from('[]')],
    resources: [],
  },
};
const other: StoredCatalog = { initializeResult: '{"other":true}', lists: { tools: [Buffer.from('[]')] } };

const newFolder = useTemporaryFolders();

describe('a catalog', () => {
  test('comes back as it was written, byte for byte', async () => {
    const { cache, problems } = open();
    await cache.write('a', 'k', catalog);
    expect(cache.read('a', 'k')).toEqual(catalog);
    expect(problems).toEqual([]);
  });

  test('whatever is in it', async () => {
    const { cache } = open();
    const page = fc.json().map((json) => Buffer.from(`[${json}]`));
    const text = fc.string({ unit: 'binary' }).map((value) => Buffer.from(value).toString());
    await fc.assert(
      fc.asyncProperty(text, text, fc.json(), fc.array(page), async (id, key, facts, pages) => {
        const written = { initializeResult: facts, lists: { tools: pages, resourceTemplates: pages } };
        await cache.write(id, key, written);
        expect(cache.read(id, key)).toEqual(written);
      }),
      propertyRuns(30),
    );
  });

  test('is that of one server and one key', async () => {
    const { cache } = open();
    await cache.write('a', 'k', catalog);
    await cache.write('b', 'k', other);
    expect([cache.read('a', 'l'), cache.read('c', 'k'), cache.read('b', 'k')]).toEqual([undefined, undefined, other]);
  });

  test('can be read by its owner only, in a folder of its own, and leaves nothing beside it', async () => {
    const { cache, folder } = open();
    await cache.write('a', 'k', catalog);
    await cache.write('a', 'k', other);
    const [name = '', ...more] = readdirSync(folder);
    expect(more).toEqual([]);
    expect([modeOf(folder), modeOf(join(folder, name))]).toEqual(['700', '600']);
  });

  test('is the newest, and its writers need not wait for each other', async () => {
    const { cache } = open();
    const versions = Array.from({ length: 50 }, (_, index) => ({ initializeResult: `{"n":${index}}`, lists: {} }));
    await Promise.all(versions.map((version) => cache.write('a', 'k', version)));
    expect(cache.read('a', 'k')).toEqual(versions.at(-1));
  });

  test('is not kept when it is larger than 64 MiB', async () => {
    const { cache, folder } = open();
    await cache.write('a', 'k', { initializeResult: '{}', lists: { tools: [Buffer.alloc(64 * 1024 * 1024, ' ')] } });
    expect(existsSync(folder)).toBe(false);
  });
});

describe('what is damaged is ignored, and written anew', () => {
  const damages: readonly [string, (file: string) => void][] = [
    ['empty', (file) => truncateSync(file, 0)],
    ['cut', (file) => truncateSync(file, statSync(file).size - 1)],
    ['cut in its first line', (file) => truncateSync(file, 30)],
    ['continued', (file) => writeFileSync(file, ' ', { flag: 'a' })],
    ['some other JSON', (file) => writeFileSync(file, '{"version":1,"tools":[]}')],
    [
      'of a newer version',
      (file) => edit(file, (text) => text.replace('switchboard-catalog 1', 'switchboard-catalog 2')),
    ],
    ['with another checksum', (file) => edit(file, (text) => text.replace(/[0-9a-f]{64}/, '0'.repeat(64)))],
    ['with something else in a page', (file) => edit(file, (text) => text.replace('"name":"a"', '"name":"b"'))],
    ['with other lengths', (file) => edit(file, (text) => text.replace('"tools":[45,3]', '"tools":[44,4]'))],
    ['larger than 64 MiB', (file) => truncateSync(file, 64 * 1024 * 1024 + 1)],
    [
      'a folder',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ];
  test.each(damages)('%s', async (name, damage) => {
    const { cache, file } = await written();
    const before = readFileSync(file);
    damage(file);
    expect(lstatSync(file).isDirectory() || !readFileSync(file).equals(before)).toBe(true);
    expect(cache.read('a', 'k')).toBeUndefined();
    if (name === 'a folder') rmSync(file, { recursive: true });
    await cache.write('a', 'k', other);
    expect(cache.read('a', 'k')).toEqual(other);
  });

  test('a flip of any bit', async () => {
    const { cache, file } = await written();
    const whole = readFileSync(file);
    for (let bit = 0; bit < whole.length * 8; bit += 7) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(file, flipped);
      expect(cache.read('a', 'k')).toBeUndefined();
    }
    writeFileSync(file, whole);
    expect(cache.read('a', 'k')).toEqual(catalog);
  });

  test('a catalog under the name of another', async () => {
    const { cache, file, folder } = await written();
    await cache.write('b', 'k', other);
    const name = readdirSync(folder).find((found) => !file.endsWith(found)) ?? '';
    writeFileSync(file, readFileSync(join(folder, name)));
    expect(cache.read('a', 'k')).toBeUndefined();
  });
});

describe('a folder that cannot be used means no cache', () => {
  test.each([
    ['a file in its place', 'catalogs'],
    ['a file above it', ''],
  ])('with %s', async (_, place) => {
    const home = newFolder();
    const folder = join(home, 'cache');
    if (place !== '') mkdirSync(folder);
    writeFileSync(join(folder, place), 'a file');
    const { cache, problems } = open(folder);
    expect(cache.read('a', 'k')).toBeUndefined();
    await cache.write('a', 'k', catalog);
    await cache.write('b', 'k', catalog);
    await cache.forget('a');
    await cache.prune();
    expect(cache.read('a', 'k')).toBeUndefined();
    expect(problems.length).toBeGreaterThan(0);
    expect(new Set(problems).size).toBe(problems.length);
    expect(problems[0]).toContain(`The catalog cache ${join(folder, 'catalogs')} `);
    expect(readFileSync(join(folder, place), 'utf8')).toBe('a file');
  });

  test.runIf(process.getuid?.() !== 0)('with rights that do not allow it', async () => {
    const folder = newFolder();
    chmodSync(folder, 0o500);
    const { cache, problems } = open(folder);
    await cache.write('a', 'k', catalog);
    expect(cache.read('a', 'k')).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining('cannot be written: permission denied')]);
    chmodSync(folder, 0o700);
  });

  const asRoot: [string, (folder: string) => void] = [
    'it belongs to another user',
    (folder) => chownSync(folder, 65_534, 65_534),
  ];
  test.each<[string, (folder: string) => void]>([
    ['others may write into it', (folder) => chmodSync(folder, 0o777)],
    ['others may write into it', (folder) => chmodSync(folder, 0o770)],
    ...(process.getuid?.() === 0 ? [asRoot] : []),
  ])('because %s', async (why, change) => {
    const { folder, file } = await written();
    change(folder);
    const before = readFileSync(file);
    const { cache, problems } = open(join(folder, '..'));
    expect(cache.read('a', 'k')).toBeUndefined();
    await cache.write('a', 'k', other);
    await cache.forget('a');
    await cache.prune();
    expect(readFileSync(file)).toEqual(before);
    expect(problems).toEqual([`The catalog cache ${folder} is not used: ${why}. Remove it or correct it.`]);
  });
});

describe('what somebody planted', () => {
  test('a link in place of the folder is not followed', async () => {
    const { folder } = await written();
    const planted = newFolder();
    symlinkSync(folder, join(planted, 'catalogs'));
    const { cache, problems } = open(planted);
    expect(cache.read('a', 'k')).toBeUndefined();
    await cache.write('b', 'k', other);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(problems).toEqual([expect.stringContaining('it is not a folder')]);
  });

  test('a link in place of a catalog is not read, and replaced instead of written to', async () => {
    const { cache, file } = await written();
    const elsewhere = join(newFolder(), 'elsewhere');
    writeFileSync(elsewhere, readFileSync(file));
    rmSync(file);
    symlinkSync(elsewhere, file);
    expect(cache.read('a', 'k')).toBeUndefined();
    const before = readFileSync(elsewhere);
    await cache.write('a', 'k', other);
    expect(readFileSync(elsewhere)).toEqual(before);
    expect([lstatSync(file).isFile(), cache.read('a', 'k')]).toEqual([true, other]);
  });

  test('a second name of a file elsewhere is not written through', async () => {
    const { cache, file } = await written();
    const elsewhere = join(newFolder(), 'elsewhere');
    writeFileSync(elsewhere, 'precious');
    rmSync(file);
    linkSync(elsewhere, file);
    await cache.write('a', 'k', other);
    expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
  });

  test.runIf(process.getuid?.() === 0)('a file of another user is not read', async () => {
    const { cache, file } = await written();
    chownSync(file, 65_534, 65_534);
    expect(cache.read('a', 'k')).toBeUndefined();
  });
});

describe('time', () => {
  test('30 days without use end a catalog, and use keeps it', async () => {
    let now = NOW;
    const { cache, folder } = open(newFolder(), () => now);
    await cache.write('used', 'k', catalog);
    await cache.write('unused', 'k', other);
    for (let day = 0; day < 20; day++) {
      now += 2 * DAY_MS;
      expect(cache.read('used', 'k')).toEqual(catalog);
    }
    expect(cache.read('unused', 'k')).toBeUndefined();
    expect(readdirSync(folder)).toHaveLength(2);
    await cache.prune();
    expect(readdirSync(folder)).toHaveLength(1);
    expect(cache.read('used', 'k')).toEqual(catalog);
  });

  test('to be read is noted at most once a day', async () => {
    let now = NOW;
    const { cache, folder } = open(newFolder(), () => now);
    await cache.write('a', 'k', catalog);
    const file = join(folder, readdirSync(folder)[0] ?? '');
    now += DAY_MS / 2;
    cache.read('a', 'k');
    expect(statSync(file).mtimeMs).toBe(NOW);
    now += DAY_MS;
    cache.read('a', 'k');
    expect(statSync(file).mtimeMs).toBe(now);
  });

  test('takes what interrupted writers left, and nothing that is not ours', async () => {
    const { cache, file, folder } = await written();
    const old = new Date(NOW - 100 * DAY_MS);
    const foreign = ['notes.txt', 'x.catalog', `${'0'.repeat(16)}-${'0'.repeat(32)}.catalog.tmp`, 'sub'];
    for (const name of foreign) writeFileSync(join(folder, name), '');
    const stray = [`${file}.${'a'.repeat(12)}.tmp`, `${file}.${'b'.repeat(12)}.tmp`];
    for (const name of stray) writeFileSync(name, '');
    for (const name of foreign) utimesSync(join(folder, name), old, old);
    utimesSync(stray[0] ?? '', old, old);
    const justNow = new Date(NOW - 60_000);
    utimesSync(stray[1] ?? '', justNow, justNow);
    await cache.prune();
    const expected = [file, stray[1] ?? ''].map((path) => path.slice(folder.length + 1));
    expect(readdirSync(folder).sort()).toEqual([...foreign, ...expected].sort());
  });
});

describe('forgetting', () => {
  test('takes all catalogs of one server, and of no other', async () => {
    const { cache, folder } = open();
    await cache.write('a', 'k', catalog);
    await cache.write('a', 'l', catalog);
    await cache.write('b', 'k', other);
    await cache.forget('a');
    expect([cache.read('a', 'k'), cache.read('a', 'l'), cache.read('b', 'k')]).toEqual([undefined, undefined, other]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('takes what is still to be written, and not what comes after it', async () => {
    const { cache } = open();
    void cache.write('b', 'k', other);
    void cache.write('a', 'k', catalog);
    void cache.forget('a');
    await cache.write('b', 'l', other);
    expect(cache.read('a', 'k')).toBeUndefined();
    void cache.write('a', 'k', catalog);
    void cache.forget('a');
    await cache.write('a', 'k', other);
    expect(cache.read('a', 'k')).toEqual(other);
  });

  test('and pruning find nothing when nothing was ever written', async () => {
    const { cache, problems, folder } = open();
    await cache.forget('a');
    await cache.prune();
    expect([problems, existsSync(folder)]).toEqual([[], false]);
  });
});

interface Opened {
  readonly cache: CatalogCache;
  readonly problems: readonly string[];
  readonly folder: string;
}

function open(parent = newFolder(), now = () => NOW): Opened {
  const problems: string[] = [];
  const cache = openCatalogCache({ folder: parent, now, onProblem: (message) => problems.push(message) });
  return { cache, problems, folder: join(parent, 'catalogs') };
}

/** With the catalog of the server `a` under the key `k`. */
async function written(): Promise<Opened & { readonly file: string }> {
  const opened = open();
  await opened.cache.write('a', 'k', catalog);
  return { ...opened, file: join(opened.folder, readdirSync(opened.folder)[0] ?? '') };
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
