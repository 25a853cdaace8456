import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { assertFoldersAllowed } from './folder-rules.ts';
import type { OperatorLimits } from './operator-limits.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'places-')));
for (const folder of ['codex/sessions', 'codex-not', 'person/.codex', 'person/.local/bin', 'outside', 'inside'])
  mkdirSync(join(root, folder), { recursive: true });
symlinkSync(join(root, 'outside'), join(root, 'inside', 'leads-out'));
afterAll(() => rmSync(root, { recursive: true }));

const OPEN: OperatorLimits = { maxSandbox: 'danger-full-access', allowsDanger: false, roots: [] };
const DENIED = expect.objectContaining({ code: 'DENIED' });

test.each([
  ['the folder itself', 'codex', 'codex', true],
  ['a folder inside it', 'codex/sessions', 'codex', true],
  ['an ancestor of it', '.', 'codex', true],
  ['its parent', 'person', 'person/.codex', true],
  ['the parent of one that does not exist yet', 'person', 'person/.config/switchboard', true],
  ['a sibling of it', 'codex-not', 'codex', false],
])('checks write access to a protected folder: %s', (_, folder, held, isRefused) => {
  const check = (isReadOnly: boolean, over: Partial<OperatorLimits> = {}) =>
    refuse([folder], { isReadOnly, over, held });

  if (isRefused) expect(() => check(false)).toThrow(DENIED);
  else expect(check(false)).toBeUndefined();
  expect([check(true), check(false, { allowsDanger: true })]).toEqual([undefined, undefined]);
});

test('detects a symlink in place of a folder', () => {
  const over = { roots: [join(root, 'inside')] };

  for (const folder of ['inside', 'inside/not-there']) expect(refuse([folder], { over })).toBeUndefined();
  for (const folder of ['inside/leads-out', 'inside/leads-out/not-there'])
    expect(() => refuse([folder], { over })).toThrow(
      expect.objectContaining({ code: 'DENIED', message: expect.stringContaining(`${folder} leads outside`) }),
    );
});

test('checks the temporary folders if the operator sets limits', () => {
  const places = { cwd: join(root, 'inside'), writable: [], tempFolders: [root], isReadOnly: false };
  const limits = { protectedFolders: [{ path: join(root, 'codex'), what: 'it' }], home: '/nowhere/home' };

  expect(assertFoldersAllowed(places, { operatorLimits: OPEN, ...limits })).toBeUndefined();
  expect(() => assertFoldersAllowed(places, { operatorLimits: { ...OPEN, roots: [root] }, ...limits })).toThrow(DENIED);
});

test.each([
  ['the home folder', 'person', true, true],
  ['a folder above it', '.', true, true],
  ['a hidden folder in it', 'person/.local/bin', true, false],
  ['a hidden folder elsewhere', 'inside/.hidden', false, false],
])('restricts work in the home folder under limits: %s', (_, folder, isRefused, isAlways) => {
  const over = { roots: [root] };
  if (isRefused) expect(() => refuse([folder], { over })).toThrow(DENIED);
  else expect(refuse([folder], { over })).toBeUndefined();
  if (isAlways) expect(() => refuse([folder], { over, isReadOnly: true })).toThrow(DENIED);
  expect(refuse(['inside', folder], { isReadOnly: true })).toBeUndefined();
});

test('allows a hidden folder that the operator names', () => {
  expect(refuse(['person/.local/bin'], { over: { roots: [join(root, 'person/.local')] } })).toBeUndefined();
});

test('a server in the home folder rejects writes until its operator names a folder', () => {
  const over = { roots: [join(root, 'person')], isConfined: true };
  mkdirSync(join(root, 'person/project'), { recursive: true });
  expect(() => refuse(['person/project'], { over })).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/--allow-root <dir>$/u) }),
  );
  expect(refuse(['person/project'], { over, isReadOnly: true })).toBeUndefined();
});

test('rejects nested folders of one session under limits', () => {
  const over = { roots: [root] };
  mkdirSync(join(root, 'inside/deep'), { recursive: true });
  for (const folders of [
    ['inside', 'inside/deep'],
    ['inside/deep', 'inside'],
  ])
    expect(() => refuse(folders, { over })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/is inside/u) }),
    );
  expect(refuse(['inside', 'inside', 'codex-not'], { over })).toBeUndefined();
  expect(refuse(['inside', 'inside/deep'], {})).toBeUndefined();
});

interface Refused {
  readonly over?: Partial<OperatorLimits>;
  readonly isReadOnly?: boolean;
  readonly held?: string;
}

/** The first folder is the working folder. */
function refuse(folders: readonly string[], { over = {}, isReadOnly = false, held = 'codex' }: Refused) {
  const [cwd = '', ...writable] = folders.map((folder) => join(root, folder));
  return assertFoldersAllowed(
    { cwd, writable, tempFolders: [], isReadOnly },
    {
      operatorLimits: { ...OPEN, ...over },
      protectedFolders: [{ path: join(root, held), what: 'it' }],
      home: join(root, 'person'),
    },
  );
}
