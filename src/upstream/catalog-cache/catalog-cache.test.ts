import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { modeOf } from '../../../test/temporary-folder.ts';
import { catalog, other, useCatalogCaches } from '../../../test/upstream/stored-catalogs.ts';

const { open } = useCatalogCaches();

describe('a catalog', () => {
  test('is read back byte for byte', async () => {
    const { cache, problems } = open();
    await cache.write('a', 'k', catalog);
    expect(cache.read('a', 'k')).toEqual(catalog);
    expect(problems).toEqual([]);
  });

  test('with any content', async () => {
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

  test('belongs to one server and one key', async () => {
    const { cache } = open();
    await cache.write('a', 'k', catalog);
    await cache.write('b', 'k', other);
    expect([cache.read('a', 'l'), cache.read('c', 'k'), cache.read('b', 'k')]).toEqual([undefined, undefined, other]);
  });

  test('is readable only by its owner, in its own folder, and leaves no temporary files', async () => {
    const { cache, folder } = open();
    await cache.write('a', 'k', catalog);
    await cache.write('a', 'k', other);
    const [name = '', ...more] = readdirSync(folder);
    expect(more).toEqual([]);
    expect([modeOf(folder), modeOf(join(folder, name))]).toEqual(['700', '600']);
  });

  test('is the newest one, and its writers need not wait for each other', async () => {
    const { cache } = open();
    const versions = Array.from({ length: 50 }, (_, index) => ({ initializeResult: `{"n":${index}}`, lists: {} }));
    await Promise.all(versions.map((version) => cache.write('a', 'k', version)));
    expect(cache.read('a', 'k')).toEqual(versions.at(-1));
  });

  test('over 64 MiB is not stored', async () => {
    const { cache, folder } = open();
    await cache.write('a', 'k', { initializeResult: '{}', lists: { tools: [Buffer.alloc(64 * 1024 * 1024, ' ')] } });
    expect(existsSync(folder)).toBe(false);
  });
});

describe('forgetting', () => {
  test('removes all catalogs of one server, and of no other', async () => {
    const { cache, folder } = open();
    await cache.write('a', 'k', catalog);
    await cache.write('a', 'l', catalog);
    await cache.write('b', 'k', other);
    await cache.forget('a');
    expect([cache.read('a', 'k'), cache.read('a', 'l'), cache.read('b', 'k')]).toEqual([undefined, undefined, other]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('cancels pending writes, but not later ones', async () => {
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

  test('and pruning do nothing if nothing was ever written', async () => {
    const { cache, problems, folder } = open();
    await cache.forget('a');
    await cache.prune();
    expect([problems, existsSync(folder)]).toEqual([[], false]);
  });
});
