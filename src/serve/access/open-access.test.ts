import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useTemporaryHomes } from '../../../test/temporary-folder.ts';
import { openAccess, type TokenAccess } from './open-access.ts';
import { openTokenStore, type TokenSettings, type TokenStore } from './token-store.ts';

const newHome = useTemporaryHomes();
const opened: TokenAccess[] = [];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const access of opened.splice(0)) access.close();
  vi.useRealTimers();
});

function open() {
  const environment = newHome();
  const store = openTokenStore(environment);
  const problems: string[] = [];
  const revoked: string[] = [];
  const start = () => {
    const access = openAccess({ environment, onProblem: (message) => problems.push(message) });
    access.onRevoked((id) => revoked.push(id));
    opened.push(access);
    return access;
  };
  return { store, problems, revoked, start };
}

const create = (store: TokenStore, settings: Partial<TokenSettings> = {}) =>
  store.create({ name: 'a', role: 'use', view: undefined, expiresAt: undefined, mayNameFolders: false, ...settings });

describe('a request', () => {
  test('with a token is from the principal of that token', () => {
    const { store, start } = open();
    const a = create(store, { name: 'a' });
    const b = create(store, { name: 'b', role: 'admin', view: 'review', mayNameFolders: true });
    const access = start();
    expect(access.authenticate(`Bearer ${a.token}`)).toEqual({
      ...{ tokenId: a.id, name: 'a', role: 'use', view: undefined, mayNameFolders: false },
    });
    expect(access.authenticate(`Bearer ${b.token}`)).toEqual({
      ...{ tokenId: b.id, name: 'b', role: 'admin', view: 'review', mayNameFolders: true },
    });
    // The same object, so that it can be compared.
    expect(access.authenticate(`bearer   ${a.token}`)).toBe(access.authenticate(`Bearer ${a.token}`));
  });

  test.each([
    ['no header', () => undefined],
    ['an empty header', () => ''],
    ['only the scheme', () => 'Bearer '],
    ['another scheme', (token: string) => `Basic ${token}`],
    ['no scheme', (token: string) => token],
    ['text after the token', (token: string) => `Bearer ${token} x`],
    [
      'a token with a changed digit',
      (token: string) => `Bearer ${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`,
    ],
    ['a token in upper case', (token: string) => `Bearer ${token.toUpperCase()}`],
    ['the id of a token with another secret', (token: string) => `Bearer ${token.slice(0, 17)}${'0'.repeat(64)}`],
    ['an unknown id', (token: string) => `Bearer swb_${'0'.repeat(12)}${token.slice(16)}`],
    ['a very long header', (token: string) => `Bearer ${token.repeat(100_000)}`],
  ])('with %s is from nobody', (_case, header) => {
    const { store, start } = open();
    const { token } = create(store);
    expect(start().authenticate(header(token))).toBeUndefined();
  });

  test('with a token that was created after the server started works at once', () => {
    const { store, start } = open();
    const access = start();
    const { token } = create(store);
    expect(access.authenticate(`Bearer ${token}`)).toMatchObject({ name: 'a' });
  });
});

describe('a token', () => {
  test('that is revoked ends within a second, and the others stay', () => {
    const { store, start, revoked } = open();
    const a = create(store, { name: 'a' });
    const b = create(store, { name: 'b' });
    const access = start();
    const before = access.authenticate(`Bearer ${b.token}`);
    store.revoke('a');
    vi.advanceTimersByTime(1000);
    expect(revoked).toEqual([a.id]);
    expect(access.authenticate(`Bearer ${a.token}`)).toBeUndefined();
    expect(access.authenticate(`Bearer ${b.token}`)).toBe(before);
  });

  test('that expires ends at that moment, and is reported within a second, once', () => {
    const { store, start, revoked } = open();
    const { id, token } = create(store, { expiresAt: Date.now() + 2500 });
    const access = start();
    vi.advanceTimersByTime(2400);
    expect(access.authenticate(`Bearer ${token}`)).toBeDefined();
    vi.advanceTimersByTime(100);
    expect(access.authenticate(`Bearer ${token}`)).toBeUndefined();
    expect(revoked).toEqual([]);
    vi.advanceTimersByTime(5000);
    expect(revoked).toEqual([id]);
  });

  test('that expired earlier is from nobody, and is not reported', () => {
    const { store, start, revoked } = open();
    const { token } = create(store, { expiresAt: Date.now() - 1 });
    expect(start().authenticate(`Bearer ${token}`)).toBeUndefined();
    vi.advanceTimersByTime(5000);
    expect(revoked).toEqual([]);
  });

  test('whose permissions were edited counts as revoked, and then has the new ones', () => {
    const { store, start, revoked } = open();
    const { id, token, sha256 } = create(store);
    const access = start();
    const edited = { id, name: 'a', role: 'read', view: 'review', createdAt: '2026-01-01T00:00:00Z', sha256 };
    writeFileSync(store.file, JSON.stringify({ version: 1, tokens: [edited] }));
    vi.advanceTimersByTime(1000);
    expect(revoked).toEqual([id]);
    expect(access.authenticate(`Bearer ${token}`)).toMatchObject({ role: 'read', view: 'review' });
  });

  test('is not reported after close, nor to a callback that was removed or throws', () => {
    const { store, start, revoked } = open();
    create(store, { name: 'a' });
    const b = create(store, { name: 'b' });
    const access = start();
    const heard: string[] = [];
    access.onRevoked(() => {
      throw new Error('a bug of the caller');
    });
    access.onRevoked((id) => heard.push(id))();
    store.revoke('b');
    vi.advanceTimersByTime(1000);
    expect([heard, revoked]).toEqual([[], [b.id]]);
    access.close();
    access.close();
    store.revoke('a');
    vi.advanceTimersByTime(5000);
    expect(revoked).toEqual([b.id]);
  });
});

describe('the file of tokens', () => {
  test.each([
    ['damaged', '{'],
    ['newer', '{"version":2,"tokens":[]}'],
  ])('that is %s stops a server from starting', (_case, content) => {
    const { store, start } = open();
    writeFileSync(store.file, content);
    expect(start).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  test('that is damaged while a server runs permits nobody, is reported once, and can be repaired', () => {
    const { store, start, problems, revoked } = open();
    const { id, token, sha256 } = create(store);
    const access = start();
    writeFileSync(store.file, '{');
    vi.advanceTimersByTime(3000);
    expect(access.authenticate(`Bearer ${token}`)).toBeUndefined();
    // It may be in the middle of being rewritten.
    expect(revoked).toEqual([]);
    vi.advanceTimersByTime(5000);
    expect(revoked).toEqual([id]);
    expect(problems).toEqual([expect.stringMatching(/tokens\.json.* No token is accepted until it can be read\.$/)]);
    const repaired = { id, name: 'a', role: 'use', createdAt: '2026-01-01T00:00:00Z', sha256 };
    writeFileSync(store.file, JSON.stringify({ version: 1, tokens: [repaired] }));
    expect(access.authenticate(`Bearer ${token}`)).toMatchObject({ name: 'a' });
  });

  test('that is damaged only for a moment ends no session', () => {
    const { store, start, revoked } = open();
    const { token } = create(store);
    const access = start();
    const content = readFileSync(store.file);
    writeFileSync(store.file, '');
    vi.advanceTimersByTime(1500);
    expect(access.authenticate(`Bearer ${token}`)).toBeUndefined();
    writeFileSync(store.file, content);
    vi.advanceTimersByTime(20_000);
    expect(access.authenticate(`Bearer ${token}`)).toMatchObject({ name: 'a' });
    expect(revoked).toEqual([]);
  });

  test('that is removed revokes every token', () => {
    const { store, start, revoked } = open();
    const { id, token } = create(store);
    const access = start();
    rmSync(store.file);
    vi.advanceTimersByTime(1000);
    expect(revoked).toEqual([id]);
    expect(access.authenticate(`Bearer ${token}`)).toBeUndefined();
  });

  test('that cannot be read for a while keeps the known tokens valid', () => {
    const { store, start, problems, revoked } = open();
    const { id, token } = create(store);
    const access = start();
    const aside = `${store.file}.aside`;
    renameSync(store.file, aside);
    symlinkSync(store.file, store.file);
    vi.advanceTimersByTime(3000);
    expect(access.authenticate(`Bearer ${token}`)).toMatchObject({ name: 'a' });
    expect(problems).toEqual([expect.stringMatching(/cannot be read: .* The known tokens stay valid\.$/)]);
    renameSync(aside, store.file);
    store.revoke('a');
    vi.advanceTimersByTime(1000);
    expect(revoked).toEqual([id]);
  });
});
