import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { catalog, NOW, other, useCatalogCaches } from '../../../test/upstream/stored-catalogs.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const { newFolder, open, written } = useCatalogCaches();

describe('expiry', () => {
  test('drops a catalog after 30 days without use, and use renews it', async () => {
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

  test('records a read at most once a day', async () => {
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

  test('removes old leftovers of interrupted writers, and no foreign files', async () => {
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
