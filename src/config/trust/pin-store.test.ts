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

describe('the store of pins', () => {
  test.each([
    ['of a newer version', { version: 2, servers: [] }, 'This is version 2, and this switchboard knows 1 only: update'],
    ['without a version', { servers: [] }, 'The file is damaged: its version is missing. Remove it, and the tools'],
    ['without its parts', { version: 1 }, 'The file is damaged: it lacks a part.'],
    ['with a bad entry', { version: 1, servers: [{ file: 'x' }] }, 'The file is damaged: an entry lacks a part.'],
    [
      'with a bad hash',
      { version: 1, servers: [{ ...record, tools: { read: 5 } }] },
      'servers[0].tools.read must be a string, but is a number.',
    ],
    [
      'with a bad change',
      { version: 1, servers: [{ ...record, pending: { read: { hash: 'x' } } }] },
      'The file is damaged: an entry lacks a part.',
    ],
    ['with a list that is none', { version: 1, servers: {} }, 'servers must be a list, but is an object.'],
  ])('%s is refused and never overwritten', (_, content, message) => {
    const { surroundings: environment, file } = newPlace();
    writeFileSync(file, JSON.stringify(content));
    const before = readFileSync(file, 'utf8');
    const refusal = expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) });
    const store = openPinStore(environment);
    expect(() => store.read(record.file, record.id)).toThrow(refusal);
    expect(() => store.write(record)).toThrow(refusal);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(environment.home)).toEqual(['pins.json']);
  });

  test('cut off, or a folder, is refused too', () => {
    const { surroundings: environment, file } = newPlace();
    writeFileSync(file, '{ "version": 1, "ser');
    expect(() => openPinStore(environment).read('x', 'y')).toThrow(/pins\.json:1: Not JSON at column 21/);
    rmSync(file);
    mkdirSync(file);
    expect(() => openPinStore(environment).read('x', 'y')).toThrow(/pins\.json: This is not a regular file/);
  });

  test('that cannot be written says so', () => {
    const { surroundings: environment } = newPlace();
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

  test('gives back what was written, for its owner only, and leaves nothing beside it', () => {
    const { surroundings: environment, file } = newPlace();
    const env = { SWITCHBOARD_HOME: join(environment.home, 'new') };
    const store = openPinStore({ ...environment, env });
    expect(store.read(record.file, record.id)).toBeUndefined();
    store.write(record);
    expect(store.read(record.file, record.id)).toEqual(record);
    expect([modeOf(env.SWITCHBOARD_HOME), modeOf(join(env.SWITCHBOARD_HOME, 'pins.json'))]).toEqual(['700', '600']);
    expect([readdirSync(env.SWITCHBOARD_HOME), existsSync(file)]).toEqual([['pins.json'], false]);
  });

  test('knows servers by file and name, and keeps the others', () => {
    const store = openPinStore(newPlace().surroundings);
    const others = [
      { ...record, id: 'other' },
      { ...record, file: '/elsewhere' },
    ];
    for (const each of [record, ...others]) store.write(each);
    const changed = { ...record, tools: {}, pending: {} };
    store.write(changed);
    expect([record, ...others].map(({ file, id }) => store.read(file, id))).toEqual([changed, ...others]);
  });

  test('changes what is there', () => {
    const store = openPinStore(newPlace().surroundings);
    expect(store.update(record.file, record.id, (found) => found ?? record)).toEqual(record);
    const changed = store.update(record.file, record.id, (found) => ({ ...record, ...found, tools: { x: 'y' } }));
    expect(store.read(record.file, record.id)).toEqual(changed);
  });

  test('finds what an older version stored under a link, and keeps it under the real path', () => {
    const { surroundings: environment, file } = newPlace();
    const [real, link] = [join(environment.home, 'config.json'), join(environment.home, 'link.json')];
    writeFileSync(real, '');
    symlinkSync(real, link);
    writeFileSync(file, JSON.stringify({ version: 1, servers: [{ ...record, file: link }] }), { mode: 0o600 });
    const store = openPinStore(environment);
    expect(store.read(real, record.id)).toEqual({ ...record, file: link });
    store.update(link, record.id, (found) => found ?? { ...record, tools: {} });
    expect(JSON.parse(readFileSync(file, 'utf8')).servers).toEqual([{ ...record, file: real }]);
  });

  test('takes tools that are called like what every object has', () => {
    const store = openPinStore(newPlace().surroundings);
    const tools = Object.fromEntries(['__proto__', 'constructor', 'toString', '', ' '].map((name) => [name, 'hash']));
    const pending = Object.fromEntries([['__proto__', { hash: 'x', difference: '' }]]);
    store.write({ ...record, tools, pending });
    const found = store.read(record.file, record.id);
    expect(Object.entries(found?.tools ?? {})).toEqual(Object.entries(tools));
    expect(Object.entries(found?.pending ?? {})).toEqual(Object.entries(pending));
    expect(found?.pending['constructor']).toBeUndefined();
  });

  test('takes ten thousand tools', () => {
    const store = openPinStore(newPlace().surroundings);
    const tools = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`tool_${index}`, 'a'.repeat(64)]));
    store.write({ ...record, tools });
    expect(Object.keys(store.read(record.file, record.id)?.tools ?? {})).toHaveLength(10_000);
  });

  test('is not kept shut by a lock whose holder is gone', () => {
    const { surroundings: environment, file } = newPlace();
    writeFileSync(`${file}.lock`, 'left by somebody who was killed');
    const store = openPinStore(environment);
    store.write(record);
    expect(store.read(record.file, record.id)).toEqual(record);
    expect(readdirSync(environment.home)).toEqual(['pins.json']);
  });
});

function newPlace(): { readonly surroundings: Environment; readonly file: string } {
  const environment = newHome();
  return { surroundings: environment, file: pinFile(environment) };
}
