import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openSavedSettings } from './saved-settings.ts';

const root = mkdtempSync(join(tmpdir(), 'kept-'));
const folder = join(root, 'codex-sessions');
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const GIVEN = { workingDirectory: '/w', addDirs: ['/a'], config: { a: { b: [1, true] } }, compactPrompt: 'short' };

test('reads back saved settings, also for a fork', async () => {
  const kept = openSavedSettings(root);
  await kept.save('one', GIVEN);
  await kept.copy('one', 'fork');
  await kept.copy('unknown', 'other');
  expect(await Promise.all(['one', 'fork', 'other'].map((id) => kept.read(id)))).toEqual([GIVEN, GIVEN, undefined]);
});

test('stores sandbox and approval policy alone only if Codex does not', async () => {
  const kept = openSavedSettings(root);
  const given = { workingDirectory: '/w', sandbox: 'workspace-write' } as const;
  await kept.save('new', given);
  await kept.copy('new', 'new', { sandbox: 'read-only' });
  await kept.save('old', given, { forgetsPolicy: true });
  await kept.copy('changed', 'changed', { sandbox: 'read-only' }, { forgetsPolicy: true });
  expect(await Promise.all(['new', 'old', 'changed'].map((id) => kept.read(id)))).toEqual([
    undefined,
    given,
    { sandbox: 'read-only' },
  ]);
  await kept.copy('old', 'old', { sandbox: 'read-only' });
  expect(await kept.read('old')).toEqual({ ...given, sandbox: 'read-only' });
});

test('ignores an id that could leave the folder', async () => {
  const kept = openSavedSettings(root);
  await kept.save('../escaped', GIVEN);
  expect(await kept.read('../escaped')).toBeUndefined();
  expect(readdirSync(root)).toEqual([]);
});

test('deletes settings that are old or over the limit', async () => {
  const kept = openSavedSettings(root);
  await kept.save('old', GIVEN);
  const before = new Date(Date.now() - 91 * 24 * 60 * 60 * 1000);
  utimesSync(join(folder, 'old.json'), before, before);
  const earlier = new Date(Date.now() - 1000);
  for (let count = 0; count < 500; count++) {
    writeFileSync(join(folder, `s${count}.json`), '{}');
    utimesSync(join(folder, `s${count}.json`), earlier, earlier);
  }
  await kept.save('s501', GIVEN);
  expect(readdirSync(folder)).toHaveLength(500);
  expect(await kept.read('old')).toBeUndefined();
  expect(await kept.read('s501')).toEqual(GIVEN);
});

test('rejects settings over the file limit', async () => {
  const kept = openSavedSettings(root);
  await expect(kept.save('large', { ...GIVEN, compactPrompt: 'x'.repeat(300_000) })).rejects.toThrow('256 KiB');
});
