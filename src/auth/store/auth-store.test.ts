import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inFile, record, URL_OF_NOTION, useAuthFiles } from '../../../test/auth/stored-sign-in.ts';
import { propertyRuns } from '../../../test/property-runs.ts';
import { modeOf } from '../../../test/temporary-folder.ts';
import { emptyRecord } from './auth-record.ts';
import { openAuthStore } from './auth-store.ts';

const newPlace = useAuthFiles();

describe('a stored sign-in', () => {
  test('is written with the documented keys and owner-only permissions, and leaves no temporary files', () => {
    const { testEnvironment: environment } = newPlace();
    const folder = join(environment.home, 'new', 'folder');
    const store = openAuthStore({ ...environment, env: { SWITCHBOARD_HOME: folder } });
    expect(store.read('notion', URL_OF_NOTION)).toBeUndefined();
    expect(store.signature()).toBe('absent');
    store.update('notion', () => record);
    const file = join(folder, 'mcp-auth.json');
    expect(contentOf(file)).toEqual({ version: 1, servers: { notion: inFile } });
    expect([modeOf(folder), modeOf(file)]).toEqual(['700', '600']);
    expect(readdirSync(folder)).toEqual(['mcp-auth.json']);
    expect(store.read('notion', URL_OF_NOTION)).toEqual(record);
  });

  test('is written to the target of a symlink with owner-only permissions', () => {
    const { testEnvironment: environment, file } = newPlace();
    const target = join(environment.home, 'kept', 'elsewhere.json');
    mkdirSync(join(environment.home, 'kept'));
    writeFileSync(target, JSON.stringify({ version: 1, servers: { notion: inFile, zz: inFile } }), { mode: 0o644 });
    symlinkSync(target, file);
    openAuthStore(environment).update('zz', () => undefined);
    expect([lstatSync(file).isSymbolicLink(), modeOf(target)]).toEqual([true, '600']);
    expect(contentOf(target)).toEqual({ version: 1, servers: { notion: inFile } });
    expect(readdirSync(join(environment.home, 'kept'))).toEqual(['elsewhere.json']);
  });

  test('in the old minimal format is readable', () => {
    const { testEnvironment: environment, file } = newPlace();
    writeFileSync(file, JSON.stringify({ version: 1, servers: { a: { access_token: 'x', url: 'https://a/' } } }));
    expect(openAuthStore(environment).read('a', 'https://a/')).toEqual({
      ...emptyRecord('https://a/'),
      accessToken: 'x',
    });
  });

  test('keeps unknown keys of the file and the record, and unknown values of newer versions', () => {
    const { testEnvironment: environment, file } = newPlace();
    const foreign = { a: [1, { b: null }], __proto__: null };
    const content = {
      future: foreign,
      version: 1,
      servers: { notion: { ...inFile, dpop: foreign }, other: { anything: true } },
      last: 1,
    };
    writeFileSync(file, JSON.stringify(content));
    const store = openAuthStore(environment);
    store.update('notion', (found) => found && { ...found, accessToken: 'access-2' });
    const changed = { ...inFile, access_token: 'access-2', dpop: foreign };
    expect(contentOf(file)).toEqual({ ...content, servers: { notion: changed, other: { anything: true } } });
    expect(modeOf(file)).toBe('600');
  });

  test('keeps only the relevant fields of a metadata document', () => {
    const { testEnvironment: environment, file } = newPlace();
    const discovery = { ...record.discovery, issuer: 'https://as.example', op_policy_uri: 'x'.repeat(1_000_000) };
    openAuthStore(environment).update('notion', () => ({ ...record, discovery }));
    expect(contentOf(file)).toEqual({ version: 1, servers: { notion: inFile } });
  });

  test('is ignored for another URL, and the reason is available', () => {
    const { testEnvironment: environment, file } = newPlace();
    const store = openAuthStore(environment);
    store.update('notion', () => record);
    store.update('nowhere', () => ({ ...record, url: undefined }));
    expect(store.read('notion', 'https://evil.example/mcp')).toBeUndefined();
    expect(store.read('nowhere', URL_OF_NOTION)).toBeUndefined();
    expect(
      [
        ['notion', 'https://evil.example/mcp'],
        ['nowhere', URL_OF_NOTION],
        ['notion', URL_OF_NOTION],
        ['unknown', URL_OF_NOTION],
      ].map(([id = '', url = '']) => store.ignoredReason(id, url)),
    ).toEqual(['its URL has changed since the last sign-in', 'the stored sign-in has no URL', undefined, undefined]);
    expect(Object.keys(contentOf(file).servers)).toEqual(['notion', 'nowhere']);
  });

  test('is found under any name, and only under that name', () => {
    const { testEnvironment: environment } = newPlace();
    const store = openAuthStore(environment);
    const names = ['__proto__', 'constructor', 'toString', '', ' ', '../../x', 'a/b', 'version', 'ü\u0000'];
    for (const name of names) expect(store.read(name, URL_OF_NOTION)).toBeUndefined();
    for (const [index, name] of names.entries()) store.update(name, () => ({ ...record, accessToken: `t${index}` }));
    expect(names.map((name) => store.read(name, URL_OF_NOTION)?.accessToken)).toEqual(names.map((_, i) => `t${i}`));
    store.update('__proto__', () => undefined);
    expect(store.read('__proto__', URL_OF_NOTION)).toBeUndefined();
    expect(store.read('constructor', URL_OF_NOTION)?.accessToken).toBe('t1');
  });

  test('round-trips any content', () => {
    const { testEnvironment: environment } = newPlace();
    const store = openAuthStore(environment);
    const text = fc.option(
      fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0')),
      {
        nil: undefined,
      },
    );
    const time = fc.option(fc.nat(), { nil: undefined });
    const shape = fc.record({
      accessToken: text,
      refreshToken: text,
      scope: text,
      clientSecret: text,
      expiresAt: time,
    });
    fc.assert(
      fc.property(fc.string(), shape, (id, parts) => {
        const whole = { ...emptyRecord(URL_OF_NOTION), ...parts };
        store.update(id, () => whole);
        expect(openAuthStore(environment).read(id, URL_OF_NOTION)).toEqual(whole);
      }),
      propertyRuns(50),
    );
  });

  test('is reread only if the file may have changed', () => {
    const { testEnvironment: environment, file } = newPlace();
    const store = openAuthStore(environment);
    store.update('notion', () => record);
    const before = store.signature();
    const first = store.read('notion', URL_OF_NOTION);
    expect(store.signature()).toBe(before);
    expect(store.read('notion', URL_OF_NOTION)).toEqual(first);
    openAuthStore(environment).update('notion', (found) => found && { ...found, accessToken: 'access-2' });
    expect(store.signature()).not.toBe(before);
    expect(store.read('notion', URL_OF_NOTION)?.accessToken).toBe('access-2');
    const old = statSync(file);
    writeFileSync(file, readFileSync(file, 'utf8').replace('access-2', 'access-3'));
    utimesSync(file, old.atime, old.mtime);
    expect(store.read('notion', URL_OF_NOTION)?.accessToken).toBe('access-3');
  });

  test('is not written if unchanged', () => {
    const { testEnvironment: environment, file } = newPlace();
    const store = openAuthStore(environment);
    store.update('notion', () => undefined);
    expect(existsSync(file)).toBe(false);
    store.update('notion', () => record);
    const before = store.signature();
    store.update('notion', (found) => found);
    expect(store.signature()).toBe(before);
  });
});

function contentOf(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
