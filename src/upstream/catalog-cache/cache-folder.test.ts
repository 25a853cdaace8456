import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { catalog, other, useCatalogCaches } from '../../../test/upstream/stored-catalogs.ts';

const { newFolder, open, written } = useCatalogCaches();

describe('an unusable folder disables the cache', () => {
  test.each([
    ['a file in its place', 'catalogs'],
    ['a file in place of its parent', ''],
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

  test.runIf(process.getuid?.() !== 0)('without write permission', async () => {
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
    ['others may write to it', (folder) => chmodSync(folder, 0o777)],
    ['others may write to it', (folder) => chmodSync(folder, 0o770)],
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
    expect(problems).toEqual([`The catalog cache ${folder} is not used: ${why}. Remove it or fix it.`]);
  });
});

describe('a planted file', () => {
  test('that is a symlink in place of the folder is not followed', async () => {
    const { folder } = await written();
    const planted = newFolder();
    symlinkSync(folder, join(planted, 'catalogs'));
    const { cache, problems } = open(planted);
    expect(cache.read('a', 'k')).toBeUndefined();
    await cache.write('b', 'k', other);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(problems).toEqual([expect.stringContaining('it is not a folder')]);
  });

  test('that is a symlink in place of a catalog is not read, and is replaced instead of written to', async () => {
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

  test('that is a hard link to another file is not written through', async () => {
    const { cache, file } = await written();
    const elsewhere = join(newFolder(), 'elsewhere');
    writeFileSync(elsewhere, 'precious');
    rmSync(file);
    linkSync(elsewhere, file);
    await cache.write('a', 'k', other);
    expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
  });

  test.runIf(process.getuid?.() === 0)('of another user is not read', async () => {
    const { cache, file } = await written();
    chownSync(file, 65_534, 65_534);
    expect(cache.read('a', 'k')).toBeUndefined();
  });
});
