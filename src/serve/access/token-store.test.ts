import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modeOf, useTemporaryHomes } from '../../../test/temporary-folder.ts';
import { openTokenStore, type TokenSettings } from './token-store.ts';
import { comparable, matchesHash, tokenIdOf } from './token-text.ts';

const newHome = useTemporaryHomes();
const plain = (name: string): TokenSettings => ({
  ...{ name, role: 'use', view: undefined, expiresAt: undefined, mayNameFolders: false },
});

test('stores the hash of a token and what it permits, but never the token, in a file that only its owner can read', () => {
  const environment = newHome();
  const store = openTokenStore(environment);
  const expiresAt = Date.UTC(2030, 0, 31);
  const settings = { ...plain('ci'), role: 'read', view: 'review', expiresAt, mayNameFolders: true } as const;
  const { token, ...stored } = store.create(settings);
  expect(token).toMatch(/^swb_[\da-f]{12}_[\da-f]{64}$/);
  expect(stored).toEqual({
    ...settings,
    id: tokenIdOf(token),
    createdAt: expect.any(Number),
    sha256: expect.any(String),
  });
  expect(matchesHash(token, comparable(stored.sha256))).toBe(true);
  expect(store.readAll()).toEqual([stored]);
  const text = readFileSync(store.file, 'utf8');
  expect(JSON.parse(text)).toEqual({
    version: 1,
    tokens: [
      {
        ...{ id: stored.id, name: 'ci', role: 'read', view: 'review', mayNameFolders: true, sha256: stored.sha256 },
        ...{ expires: '2030-01-31T00:00:00.000Z', createdAt: new Date(stored.createdAt).toISOString() },
      },
    ],
  });
  expect(text).not.toContain(token.slice(-64));
  expect(modeOf(store.file)).toBe('600');
  expect(readdirSync(environment.home)).toEqual(['tokens.json']);
});

test('revokes by id or by name, and returns what it revoked', () => {
  const store = openTokenStore(newHome());
  const first = store.create(plain('first'));
  const second = store.create(plain('second'));
  expect(store.revoke(first.id)).toMatchObject({ name: 'first' });
  expect(store.revoke('second')).toMatchObject({ id: second.id });
  expect(store.revoke('second')).toBeUndefined();
  expect(store.readAll()).toEqual([]);
});

test('revoking from a store that does not exist creates nothing', () => {
  const store = openTokenStore(newHome());
  expect(store.revoke('a')).toBeUndefined();
  expect(existsSync(store.file)).toBe(false);
});

test('a name can be used once, and the error says how to replace the token', () => {
  const store = openTokenStore(newHome());
  store.create(plain('ci'));
  const content = readFileSync(store.file, 'utf8');
  expect(() => store.create(plain('ci'))).toThrow(
    expect.objectContaining({
      code: 'USAGE',
      message: 'There is already a token ci. Choose another name, or replace it after: switchboard token revoke ci',
    }),
  );
  expect(readFileSync(store.file, 'utf8')).toBe(content);
});

test('the number of tokens is limited', () => {
  const store = openTokenStore(newHome());
  const { token: _, ...one } = store.create(plain('one'));
  const { createdAt, ...rest } = one;
  const tokens = Array.from({ length: 1000 }, (_unused, index) => ({
    ...{ ...rest, id: index.toString(16).padStart(12, '0'), name: `n${index}` },
    createdAt: new Date(createdAt).toISOString(),
  }));
  writeFileSync(store.file, JSON.stringify({ version: 1, tokens }));
  expect(() => store.create(plain('two'))).toThrow('There are already 1000 tokens, which is the limit.');
});

const VALID = { id: '0123456789ab', name: 'a', role: 'use', createdAt: '2026-01-01T00:00:00Z', sha256: '0'.repeat(64) };

test.each([
  ['{', 'tokens.json'],
  ['{"tokens":[]}', 'its version is missing'],
  ['{"version":1}', '"tokens" is missing'],
  ['{"version":2,"tokens":[]}', 'This is version 2, but this Switchboard supports only 1. Update Switchboard.'],
  [file({ ...VALID, id: 'x' }), 'tokens[0].id must be 12 hex digits'],
  [file({ ...VALID, name: 'a\u001b[31m' }), 'tokens[0].name is not a valid name'],
  [file({ ...VALID, role: 'root' }), 'tokens[0].role must be one of "use", "read", "admin"'],
  [file({ ...VALID, sha256: 'abc' }), 'tokens[0].sha256 must be 64 hex digits'],
  [file({ ...VALID, sha256: undefined }), 'tokens[0] has no "sha256"'],
  [file({ ...VALID, expires: 'soon' }), 'tokens[0].expires must be a date'],
  [file({ ...VALID, mayNameFolders: 'yes' }), 'tokens[0].mayNameFolders must be true or false'],
  [file(VALID, VALID), 'two tokens have the same id'],
])('refuses %s and leaves the file as it is', (content, expected) => {
  const store = openTokenStore(newHome());
  writeFileSync(store.file, content);
  for (const use of [() => store.readAll(), () => store.create(plain('x')), () => store.revoke('a')])
    expect(use).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(expected) }),
    );
  expect(readFileSync(store.file, 'utf8')).toBe(content);
});

function file(...tokens: readonly object[]): string {
  return JSON.stringify({ version: 1, tokens });
}
