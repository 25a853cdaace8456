import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import type { Environment } from '../../config/files/folders.ts';
import { type AuthRecord, emptyRecord } from './auth-record.ts';
import { authFile, openAuthStore } from './auth-store.ts';

const made: string[] = [];
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

const URL_OF_NOTION = 'https://mcp.notion.com/mcp';
const record: AuthRecord = {
  accessToken: 'access-1',
  refreshToken: 'refresh-1',
  expiresAt: 1_760_000_000_000,
  tokenType: 'Bearer',
  scope: 'files:read',
  clientId: 'client-1',
  clientSecret: 'secret-1',
  authMethod: 'client_secret_post',
  registration: 'dcr',
  clientScope: 'files:read files:write',
  url: URL_OF_NOTION,
  issuer: 'https://as.example',
  resource: URL_OF_NOTION,
  redirectUri: 'http://127.0.0.1:44273/callback/x',
  discovery: { issuer: 'https://as.example', token_endpoint: 'https://as.example/token' },
  updatedAt: 1_759_996_400_000,
  refusedAt: 1_759_996_500_000,
  refreshStartedAt: 1_759_996_600_000,
  rest: {},
};
const inFile = {
  access_token: 'access-1',
  refresh_token: 'refresh-1',
  expires_at: 1_760_000_000_000,
  token_type: 'Bearer',
  scope: 'files:read',
  client_id: 'client-1',
  client_secret: 'secret-1',
  url: URL_OF_NOTION,
  issuer: 'https://as.example',
  resource: URL_OF_NOTION,
  redirect_uri: 'http://127.0.0.1:44273/callback/x',
  token_endpoint_auth_method: 'client_secret_post',
  registration: 'dcr',
  client_scope: 'files:read files:write',
  discovery: { issuer: 'https://as.example', token_endpoint: 'https://as.example/token' },
  updated_at: 1_759_996_400_000,
  refused_at: 1_759_996_500_000,
  refresh_started_at: 1_759_996_600_000,
};

describe('a file that cannot be used', () => {
  test.each([
    ['of a newer version', { version: 2, servers: {} }, 'This is version 2, and this switchboard knows 1 only: update'],
    [
      'without a version',
      { servers: {} },
      'The file is damaged: its version is missing. Remove it, and sign in again.',
    ],
    ['without servers', { version: 1 }, 'The file is damaged: it lacks a part.'],
    ['with servers that are a list', { version: 1, servers: [] }, 'servers must be an object, but is a list.'],
    ['with a record that is a text', { version: 1, servers: { notion: 'x' } }, 'servers.notion must be an object'],
    [
      'with a token that is a number',
      { version: 1, servers: { notion: { access_token: 5 } } },
      'servers.notion.access_token must be a string, but is a number.',
    ],
    [
      'with a time that is a text',
      { version: 1, servers: { notion: { expires_at: 'soon' } } },
      'This must be a number of milliseconds since 1970.',
    ],
  ])('%s is refused by name, and never overwritten', (_, content, message) => {
    const { surroundings: environment, file } = newPlace();
    writeFileSync(file, JSON.stringify(content));
    const before = readFileSync(file, 'utf8');
    const store = openAuthStore(environment);
    const refusal = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(new RegExp(`^${file}.*${message.replace(/[.]/g, '\\.')}`)),
    });
    expect(() => store.read('notion', URL_OF_NOTION)).toThrow(refusal);
    expect(() => store.whyIgnored('notion', URL_OF_NOTION)).toThrow(refusal);
    expect(() => store.update('notion', () => record)).toThrow(refusal);
    expect(() => store.update('notion', () => undefined)).toThrow(refusal);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(environment.home)).toEqual(['mcp-auth.json']);
  });

  test('half written, or a folder, is refused too', () => {
    const { surroundings: environment, file } = newPlace();
    writeFileSync(file, '{ "version": 1, "ser');
    expect(() => openAuthStore(environment).read('a', 'b')).toThrow(/mcp-auth\.json:1: Not JSON at column 21/);
    rmSync(file);
    mkdirSync(file);
    expect(() => openAuthStore(environment).read('a', 'b')).toThrow(/mcp-auth\.json: This is not a regular file/);
  });

  test('that cannot be written says so', async () => {
    const { surroundings: environment } = newPlace();
    writeFileSync(join(environment.home, 'file'), '');
    const store = openAuthStore({ ...environment, env: { SWITCHBOARD_HOME: join(environment.home, 'file', 'in') } });
    expect(store.read('notion', URL_OF_NOTION)).toBeUndefined();
    const refusal = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/mcp-auth\.json: The sign-in cannot be stored: /),
    });
    expect(() => store.update('notion', () => record)).toThrow(refusal);
    await expect(store.runExclusive('notion', async () => {})).rejects.toThrow(refusal);
  });

  test('because its link leads nowhere says so, and the link stays', () => {
    const { surroundings: environment, file } = newPlace();
    symlinkSync('nowhere.json', file);
    const store = openAuthStore(environment);
    expect(store.read('notion', URL_OF_NOTION)).toBeUndefined();
    expect(() => store.update('notion', () => record)).toThrow(
      /mcp-auth\.json: The sign-in cannot be stored: this link leads to a file that does not exist/,
    );
    expect(readdirSync(environment.home)).toEqual(['mcp-auth.json']);
  });

  test('one damaged record costs only itself', () => {
    const { surroundings: environment, file } = newPlace();
    writeFileSync(file, JSON.stringify({ version: 1, servers: { bad: { scope: 7 }, notion: inFile } }));
    const store = openAuthStore(environment);
    expect(store.read('notion', URL_OF_NOTION)).toEqual(record);
    store.update('notion', () => undefined);
    expect(contentOf(file)).toEqual({ version: 1, servers: { bad: { scope: 7 } } });
  });
});

describe('a sign-in', () => {
  test('stands in the file under its names, for its owner only, and nothing is left beside it', () => {
    const { surroundings: environment } = newPlace();
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

  test('is written where a link leads to, for its owner only', () => {
    const { surroundings: environment, file } = newPlace();
    const target = join(environment.home, 'kept', 'elsewhere.json');
    mkdirSync(join(environment.home, 'kept'));
    writeFileSync(target, JSON.stringify({ version: 1, servers: { notion: inFile, zz: inFile } }), { mode: 0o644 });
    symlinkSync(target, file);
    openAuthStore(environment).update('zz', () => undefined);
    expect([lstatSync(file).isSymbolicLink(), modeOf(target)]).toEqual([true, '600']);
    expect(contentOf(target)).toEqual({ version: 1, servers: { notion: inFile } });
    expect(readdirSync(join(environment.home, 'kept'))).toEqual(['elsewhere.json']);
  });

  test('of the bare format of old is read', () => {
    const { surroundings: environment, file } = newPlace();
    writeFileSync(file, JSON.stringify({ version: 1, servers: { a: { access_token: 'x', url: 'https://a/' } } }));
    expect(openAuthStore(environment).read('a', 'https://a/')).toEqual({
      ...emptyRecord('https://a/'),
      accessToken: 'x',
    });
  });

  test('keeps keys that we do not know, of the file and of the record, and words that a newer one has', () => {
    const { surroundings: environment, file } = newPlace();
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

  test('keeps no more of a metadata document than is of use', () => {
    const { surroundings: environment, file } = newPlace();
    const discovery = { ...record.discovery, issuer: 'https://as.example', op_policy_uri: 'x'.repeat(1_000_000) };
    openAuthStore(environment).update('notion', () => ({ ...record, discovery }));
    expect(contentOf(file)).toEqual({ version: 1, servers: { notion: inFile } });
  });

  test('for another URL does not count, and it is told why', () => {
    const { surroundings: environment, file } = newPlace();
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
      ].map(([id = '', url = '']) => store.whyIgnored(id, url)),
    ).toEqual(['its URL changed since the last sign-in', 'the stored sign-in names no URL', undefined, undefined]);
    expect(Object.keys(contentOf(file).servers)).toEqual(['notion', 'nowhere']);
  });

  test('under any name is found again, and nothing else is', () => {
    const { surroundings: environment } = newPlace();
    const store = openAuthStore(environment);
    const names = ['__proto__', 'constructor', 'toString', '', ' ', '../../x', 'a/b', 'version', 'ü\u0000'];
    for (const name of names) expect(store.read(name, URL_OF_NOTION)).toBeUndefined();
    for (const [index, name] of names.entries()) store.update(name, () => ({ ...record, accessToken: `t${index}` }));
    expect(names.map((name) => store.read(name, URL_OF_NOTION)?.accessToken)).toEqual(names.map((_, i) => `t${i}`));
    store.update('__proto__', () => undefined);
    expect(store.read('__proto__', URL_OF_NOTION)).toBeUndefined();
    expect(store.read('constructor', URL_OF_NOTION)?.accessToken).toBe('t1');
  });

  test('whatever is in it comes back the same', () => {
    const { surroundings: environment } = newPlace();
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

  test('is read again only when the file may have changed', () => {
    const { surroundings: environment, file } = newPlace();
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

  test('that is not changed is not written', () => {
    const { surroundings: environment, file } = newPlace();
    const store = openAuthStore(environment);
    store.update('notion', () => undefined);
    expect(existsSync(file)).toBe(false);
    store.update('notion', () => record);
    const before = store.signature();
    store.update('notion', (found) => found);
    expect(store.signature()).toBe(before);
  });
});

function newPlace(): { readonly surroundings: Environment; readonly file: string } {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-auth-'));
  made.push(home);
  const environment: Environment = { cwd: home, home, env: { SWITCHBOARD_HOME: home }, platform: 'linux' };
  return { surroundings: environment, file: authFile(environment) };
}

function contentOf(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
