import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openSessionOwners } from './session-owners.ts';

const root = mkdtempSync(join(tmpdir(), 'owners-'));
afterAll(() => rmSync(root, { recursive: true }));

const folder = (name: string) => join(root, name);

test('remembers owners, also those that another process has recorded', () => {
  const [one, other] = [openSessionOwners(folder('shared')), openSessionOwners(folder('shared'))];
  expect(one.ownerOf('a')).toBeUndefined();
  one.record('a', 'token-1');
  other.record('b', 'token-2');
  one.record('c', 'token-1');
  expect(['a', 'b', 'c', 'd'].map(other.ownerOf)).toEqual(['token-1', 'token-2', 'token-1', undefined]);
  expect(one.sessionsOf('token-1')).toEqual(['c', 'a']);
  const again = openSessionOwners(folder('shared'));
  expect(again.sessionsOf('token-2')).toEqual(['b']);
  expect(statSync(join(folder('shared'), 'codex-owners.json')).mode & 0o777).toBe(0o600);
});

test('with a damaged file, or one of a newer version, nobody can use a stored session', () => {
  for (const content of [
    '{"version":1',
    '{"version":1}',
    '{"version":2,"sessions":{}}',
    '{"version":1,"sessions":{"a":1}}',
  ]) {
    const owners = openSessionOwners(folder('damaged'));
    owners.record('a', 'token-1');
    writeFileSync(join(folder('damaged'), 'codex-owners.json'), content);
    expect(() => owners.ownerOf('a')).toThrow('codex-owners.json');
    expect(() => owners.record('b', 'token-1')).toThrow('codex-owners.json');
    expect(() => openSessionOwners(folder('damaged'))).toThrow('codex-owners.json');
    rmSync(folder('damaged'), { recursive: true });
  }
});

test('forgets the oldest sessions when there are too many', () => {
  const owners = openSessionOwners(folder('many'));
  const ids = Array.from({ length: 5_000 }, (_, index) => [`session-${index}`, 'token-1']);
  const full = JSON.stringify({ version: 1, sessions: Object.fromEntries(ids) });
  owners.record('first', 'token-1');
  writeFileSync(join(folder('many'), 'codex-owners.json'), full);
  owners.record('last', 'token-2');
  expect(['session-0', 'session-1', 'last'].map(owners.ownerOf)).toEqual([undefined, 'token-1', 'token-2']);
});
