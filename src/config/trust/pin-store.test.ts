import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { modeOf, useTemporaryHomes } from '../../../test/temporary-folder.ts';
import type { Environment } from '../files/folders.ts';
import { openPinStore, type PinRecord, pinFile } from './pin-store.ts';

const newHome = useTemporaryHomes();

const record: PinRecord = {
  file: '/project/.mcp.json',
  id: 'fetch',
  tools: { read: 'a'.repeat(64) },
  pending: { send: { hash: 'b'.repeat(64), difference: 'new' } },
};

describe('the pin store', () => {
  test.each([
    [
      'with a newer version',
      { version: 2, servers: [] },
      'This is version 2, but this Switchboard supports only 1. Update',
    ],
    ['without a version', { servers: [] }, 'The file is damaged: its version is missing. Remove it. Pinned servers'],
    ['with missing members', { version: 1 }, 'The file is damaged: it is incomplete.'],
    ['with an invalid entry', { version: 1, servers: [{ file: 'x' }] }, 'The file is damaged: an entry is incomplete.'],
    [
      'with an invalid hash',
      { version: 1, servers: [{ ...record, tools: { read: 5 } }] },
      'servers[0].tools.read must be a string, but is a number.',
    ],
    [
      'with an invalid change',
      { version: 1, servers: [{ ...record, pending: { read: { hash: 'x' } } }] },
      'The file is damaged: an entry is incomplete.',
    ],
    ['with a list that is not an array', { version: 1, servers: {} }, 'servers must be a list, but is an object.'],
  ])('rejects a file %s and never overwrites it', (_, content, message) => {
    const { testEnvironment: environment, file } = newPlace();
    writeFileSync(file, JSON.stringify(content));
    const before = readFileSync(file, 'utf8');
    const refusal = expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) });
    const store = openPinStore(environment);
    expect(() => store.read(record.file, record.id)).toThrow(refusal);
    expect(() => store.write(record)).toThrow(refusal);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(environment.home)).toEqual(['pins.json']);
  });

  test('rejects a truncated file and a folder', () => {
    const { testEnvironment: environment, file } = newPlace();
    writeFileSync(file, '{ "version": 1, "ser');
    expect(() => openPinStore(environment).read('x', 'y')).toThrow(/pins\.json:1: Not JSON at column 21/);
    rmSync(file);
    mkdirSync(file);
    expect(() => openPinStore(environment).read('x', 'y')).toThrow(/pins\.json: This is not a regular file/);
  });

  test('reports a failed write', () => {
    const { testEnvironment: environment } = newPlace();
    const env = { SWITCHBOARD_HOME: join(environment.home, 'file', 'inside') };
    writeFileSync(join(environment.home, 'file'), '');
    const store = openPinStore({ ...environment, env });
    expect(store.read(record.file, record.id)).toBeUndefined();
    expect(() => store.write(record)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/pins\.json: Pins cannot be stored: /),
      }),
    );
  });

  test('reads back what it wrote, with owner-only permissions and no temporary files', () => {
    const { testEnvironment: environment, file } = newPlace();
    const env = { SWITCHBOARD_HOME: join(environment.home, 'new') };
    const store = openPinStore({ ...environment, env });
    expect(store.read(record.file, record.id)).toBeUndefined();
    store.write(record);
    expect(store.read(record.file, record.id)).toEqual(record);
    expect([modeOf(env.SWITCHBOARD_HOME), modeOf(join(env.SWITCHBOARD_HOME, 'pins.json'))]).toEqual(['700', '600']);
    expect([readdirSync(env.SWITCHBOARD_HOME), existsSync(file)]).toEqual([['pins.json'], false]);
  });

  test('identifies a server by file and id, and keeps the others', () => {
    const store = openPinStore(newPlace().testEnvironment);
    const others = [
      { ...record, id: 'other' },
      { ...record, file: '/elsewhere' },
    ];
    for (const each of [record, ...others]) store.write(each);
    const changed = { ...record, tools: {}, pending: {} };
    store.write(changed);
    expect([record, ...others].map(({ file, id }) => store.read(file, id))).toEqual([changed, ...others]);
  });

  test('updates an existing record', () => {
    const store = openPinStore(newPlace().testEnvironment);
    expect(store.update(record.file, record.id, (found) => found ?? record)).toEqual(record);
    const changed = store.update(record.file, record.id, (found) => ({ ...record, ...found, tools: { x: 'y' } }));
    expect(store.read(record.file, record.id)).toEqual(changed);
  });

  test('finds a record stored under a symlink by an older version, and moves it to the real path', () => {
    const { testEnvironment: environment, file } = newPlace();
    const [real, link] = [join(environment.home, 'config.json'), join(environment.home, 'link.json')];
    writeFileSync(real, '');
    symlinkSync(real, link);
    writeFileSync(file, JSON.stringify({ version: 1, servers: [{ ...record, file: link }] }), { mode: 0o600 });
    const store = openPinStore(environment);
    expect(store.read(real, record.id)).toEqual({ ...record, file: link });
    store.update(link, record.id, (found) => found ?? { ...record, tools: {} });
    expect(JSON.parse(readFileSync(file, 'utf8')).servers).toEqual([{ ...record, file: real }]);
  });

  test('accepts tools named like Object.prototype properties', () => {
    const store = openPinStore(newPlace().testEnvironment);
    const tools = Object.fromEntries(['__proto__', 'constructor', 'toString', '', ' '].map((name) => [name, 'hash']));
    const pending = Object.fromEntries([['__proto__', { hash: 'x', difference: '' }]]);
    store.write({ ...record, tools, pending });
    const found = store.read(record.file, record.id);
    expect(Object.entries(found?.tools ?? {})).toEqual(Object.entries(tools));
    expect(Object.entries(found?.pending ?? {})).toEqual(Object.entries(pending));
    expect(found?.pending['constructor']).toBeUndefined();
  });

  test('accepts ten thousand tools', () => {
    const store = openPinStore(newPlace().testEnvironment);
    const tools = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`tool_${index}`, 'a'.repeat(64)]));
    store.write({ ...record, tools });
    expect(Object.keys(store.read(record.file, record.id)?.tools ?? {})).toHaveLength(10_000);
  });

  test('ignores the lock of a dead process', () => {
    const { testEnvironment: environment, file } = newPlace();
    writeFileSync(`${file}.lock`, 'left by somebody who was killed');
    const store = openPinStore(environment);
    store.write(record);
    expect(store.read(record.file, record.id)).toEqual(record);
    expect(readdirSync(environment.home)).toEqual(['pins.json']);
  });
});

function newPlace(): { readonly testEnvironment: Environment; readonly file: string } {
  const environment = newHome();
  return { testEnvironment: environment, file: pinFile(environment) };
}
