import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { catalog, other, useCatalogCaches } from '../../../test/upstream/stored-catalogs.ts';

const { written } = useCatalogCaches();

describe('ignores a damaged file, and replaces it', () => {
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

  test('with any bit flipped', async () => {
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

  test('with the catalog of another server', async () => {
    const { cache, file, folder } = await written();
    await cache.write('b', 'k', other);
    const name = readdirSync(folder).find((found) => !file.endsWith(found)) ?? '';
    writeFileSync(file, readFileSync(join(folder, name)));
    expect(cache.read('a', 'k')).toBeUndefined();
  });
});

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
