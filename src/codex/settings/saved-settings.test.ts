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

test('stores sandbox and approval policy alone if Codex does not, or if a turn changes them', async () => {
  const kept = openSavedSettings(root);
  const given = { workingDirectory: '/w', sandbox: 'workspace-write' } as const;
  await kept.save('recent', given);
  await kept.save('old', given, { forgetsPolicy: true });
  await kept.copy('changed', 'changed', { sandbox: 'read-only' }, { workingDirectory: '/v' });
  await kept.copy('forked', 'fork', {}, { workingDirectory: '/v' });
  expect(await Promise.all(['recent', 'old', 'changed', 'fork'].map((id) => kept.read(id)))).toEqual([
    undefined,
    given,
    { workingDirectory: '/v', sandbox: 'read-only' },
    undefined,
  ]);
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
