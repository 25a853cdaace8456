import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modeOf, useTemporaryHomes } from '../../../test/temporary-folder.ts';
import { openSecretStore } from './secret-store.ts';

const newHome = useTemporaryHomes();

test('stores, replaces and removes values in a file that only its owner can read', () => {
  const store = openSecretStore(newHome());
  expect(store.readAll()).toEqual({});
  expect([store.set('A', '1'), store.set('B', '2'), store.set('A', '3')]).toEqual([false, false, true]);
  expect(store.readAll()).toEqual({ A: '3', B: '2' });
  expect(modeOf(store.file)).toBe('600');
  expect([store.remove('A'), store.remove('A')]).toEqual([true, false]);
  expect(store.readAll()).toEqual({ B: '2' });
});

test('removing from a store that does not exist creates nothing', () => {
  const store = openSecretStore(newHome());
  expect(store.remove('A')).toBe(false);
  expect(() => readFileSync(store.file)).toThrow('ENOENT');
});

test.each([
  ['{', 'secrets.json'],
  ['{"version":1}', '"secrets" is missing'],
  ['{"version":2,"secrets":{}}', 'version 2'],
  ['{"version":1,"secrets":{"a b":"x"}}', 'use letters'],
])('refuses %s and leaves the file as it is', (content, expected) => {
  const store = openSecretStore(newHome());
  writeFileSync(store.file, content);
  expect(() => store.readAll()).toThrow(expected);
  expect(() => store.set('A', '1')).toThrow(expected);
  expect(readFileSync(store.file, 'utf8')).toBe(content);
});
