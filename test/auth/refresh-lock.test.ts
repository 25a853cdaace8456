import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withRefreshLock } from '../../src/auth/store/refresh-lock.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-lock-'));
  file = join(folder, '.refresh-notes');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('names the lock file if the wait takes too long', async () => {
  let finish = () => {};
  const held = withRefreshLock(file, () => new Promise<void>((resolve) => (finish = resolve)), 1_000);
  const waiting = withRefreshLock(file, async () => 'never', 200);
  await expect(waiting).rejects.toThrow(
    expect.objectContaining({ code: 'BUSY', message: expect.stringContaining(file) }),
  );
  finish();
  await held;
  expect(readdirSync(folder)).toEqual([]);
});

test('names a lock file that cannot be created, and does not start the work', async () => {
  const place = join(folder, 'missing', '.refresh-notes');
  await expect(withRefreshLock(place, () => Promise.reject(new Error('begun')), 1_000)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: `${place}: The sign-in cannot be refreshed without this lock file: ENOENT.`,
  });
});

test('the file contains the process and a mark, and is removed after failed work', async () => {
  const failing = withRefreshLock(
    file,
    async () => {
      expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^${process.pid} [0-9a-f]{24} 1$`));
      throw new Error('no');
    },
    1_000,
  );
  await expect(failing).rejects.toThrow('no');
  expect(readdirSync(folder)).toEqual([]);
});

test('concurrent processes take over the lock of a killed process one at a time', async () => {
  writeFileSync(file, '1 left 1');
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await delay(30);
    inside--;
    return 'done';
  };
  const all = await Promise.all(Array.from({ length: 8 }, () => withRefreshLock(file, work, 20_000)));
  expect([all, most]).toEqual([Array(8).fill('done'), 1]);
  expect(readdirSync(folder)).toEqual([]);
});

test('does not remove a lock that another process holds by now', async () => {
  await withRefreshLock(file, async () => writeFileSync(file, '2 other 1'), 1_000);
  expect(readFileSync(file, 'utf8')).toMatch(/^2 other/);
});
