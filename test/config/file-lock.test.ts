import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withFileLock, withFileLockAsync } from '../../src/base/files/file-lock.ts';

let folder = '';
let file = '';
let lock = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-file-lock-'));
  file = join(folder, 'file.json');
  lock = `${file}.lock`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['a command', async <T>(work: () => T) => withFileLock(file, work)],
  ['a server process', <T>(work: () => T) => withFileLockAsync(file, work)],
])('%s', (_, hold) => {
  test('rethrows errors of its work and removes the lock', async () => {
    const failing = hold(() => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('holds the lock while it works, and removes the lock of a killed process', async () => {
    writeFileSync(lock, 'left by somebody');
    expect(await hold(() => readFileSync(lock, 'utf8'))).toMatch(/^[0-9a-f]{24}$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('removes a planted symlink without following it', async () => {
    symlinkSync('/dev/zero', lock);
    expect(await hold(() => readFileSync(lock, 'utf8'))).toMatch(/^[0-9a-f]{24}$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('does not wait for the writer of a named pipe', async () => {
    execFileSync('mkfifo', [lock]);
    expect(await hold(() => readFileSync(lock, 'utf8'))).toMatch(/^[0-9a-f]{24}$/);
  });

  test('gets the system error if the lock cannot be created', async () => {
    rmSync(folder, { recursive: true });
    await expect(hold(() => 'never')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('waiting for a lock that keeps changing hands fails with the path of the lock', async () => {
  writeFileSync(lock, '0');
  let count = 0;
  const others = setInterval(() => writeFileSync(lock, String(++count)), 100);
  try {
    const waiting = withFileLockAsync(file, () => 'never');
    await expect(waiting).rejects.toMatchObject({ code: 'BUSY', message: expect.stringContaining(lock) });
  } finally {
    clearInterval(others);
  }
});

test('an asynchronous wait for a stale lock does not block the process', async () => {
  writeFileSync(lock, 'left by somebody');
  let isDone = false;
  const waiting = withFileLockAsync(file, () => 'done').finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) await delay(5);
  expect(await waiting).toBe('done');
  expect(turns).toBeGreaterThan(50);
});

test('concurrent holders run one at a time', async () => {
  writeFileSync(file, '0');
  const count = () => writeFileSync(file, String(Number(readFileSync(file, 'utf8')) + 1));
  await Promise.all(Array.from({ length: 20 }, () => withFileLockAsync(file, count)));
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['20', ['file.json']]);
});
