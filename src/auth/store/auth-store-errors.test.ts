import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inFile, record, URL_OF_NOTION, useAuthFiles } from '../../../test/auth/stored-sign-in.ts';
import { openAuthStore } from './auth-store.ts';

const newPlace = useAuthFiles();

describe('an unusable file', () => {
  test.each([
    [
      'with a newer version',
      { version: 2, servers: {} },
      'This is version 2, but this Switchboard supports only 1. Update',
    ],
    [
      'without a version',
      { servers: {} },
      'The file is damaged: its version is missing. Remove it, then sign in again.',
    ],
    ['without servers', { version: 1 }, 'The file is damaged: it is incomplete.'],
    ['with servers as an array', { version: 1, servers: [] }, 'servers must be an object, but is a list.'],
    ['with a record that is a string', { version: 1, servers: { notion: 'x' } }, 'servers.notion must be an object'],
    [
      'with a token that is a number',
      { version: 1, servers: { notion: { access_token: 5 } } },
      'servers.notion.access_token must be a string, but is a number.',
    ],
    [
      'with a time that is a string',
      { version: 1, servers: { notion: { expires_at: 'soon' } } },
      'This must be a number of milliseconds since 1970.',
    ],
  ])('rejects a file %s by name and never overwrites it', (_, content, message) => {
    const { testEnvironment: environment, file } = newPlace();
    writeFileSync(file, JSON.stringify(content));
    const before = readFileSync(file, 'utf8');
    const store = openAuthStore(environment);
    const refusal = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(new RegExp(`^${file}.*${message.replace(/[.]/g, '\\.')}`)),
    });
    expect(() => store.read('notion', URL_OF_NOTION)).toThrow(refusal);
    expect(() => store.ignoredReason('notion', URL_OF_NOTION)).toThrow(refusal);
    expect(() => store.update('notion', () => record)).toThrow(refusal);
    expect(() => store.update('notion', () => undefined)).toThrow(refusal);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(environment.home)).toEqual(['mcp-auth.json']);
  });

  test('rejects a truncated file and a folder', () => {
    const { testEnvironment: environment, file } = newPlace();
    writeFileSync(file, '{ "version": 1, "ser');
    expect(() => openAuthStore(environment).read('a', 'b')).toThrow(/mcp-auth\.json:1: Not JSON at column 21/);
    rmSync(file);
    mkdirSync(file);
    expect(() => openAuthStore(environment).read('a', 'b')).toThrow(/mcp-auth\.json: This is not a regular file/);
  });

  test('reports a failed write', async () => {
    const { testEnvironment: environment } = newPlace();
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

  test('reports a dangling symlink and keeps it', () => {
    const { testEnvironment: environment, file } = newPlace();
    symlinkSync('nowhere.json', file);
    const store = openAuthStore(environment);
    expect(store.read('notion', URL_OF_NOTION)).toBeUndefined();
    expect(() => store.update('notion', () => record)).toThrow(
      /mcp-auth\.json: The sign-in cannot be stored: this link points to a file that does not exist/,
    );
    expect(readdirSync(environment.home)).toEqual(['mcp-auth.json']);
  });

  test('skips only the damaged record', () => {
    const { testEnvironment: environment, file } = newPlace();
    writeFileSync(file, JSON.stringify({ version: 1, servers: { bad: { scope: 7 }, notion: inFile } }));
    const store = openAuthStore(environment);
    expect(store.read('notion', URL_OF_NOTION)).toEqual(record);
    store.update('notion', () => undefined);
    expect(contentOf(file)).toEqual({ version: 1, servers: { bad: { scope: 7 } } });
  });
});

function contentOf(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
