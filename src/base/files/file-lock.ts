import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { randomHex } from '../digest.ts';
import { AppError } from '../errors.ts';
import { escapeInvisible } from '../text/visible-text.ts';
import { errnoOf } from './errno.ts';

/**
 * Runs `work` while holding a lock for the file, so that no other process interferes between read, change and write.
 * Holders are quick. A lock that stays unchanged for long belongs to a killed process and is removed. Waiting blocks
 * the whole process, so this is for commands. Rethrows errors of `work`, and throws when it cannot acquire the lock.
 */
export function withFileLock<T>(file: string, work: () => T): T {
  const path = `${file}.lock`;
  const attempts = lockAttempts(path, QUICK, () => tryCreateQuick(path));
  let attempt = attempts.next();
  for (; !attempt.done; attempt = attempts.next()) {
    if (attempt.value.isStale) breakQuickLock(path, attempt.value.content);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, QUICK.pauseMs);
  }
  return runAndRelease(path, attempt.value, work);
}

/** Like `withFileLock`, for a process that serves clients: waiting does not block the event loop. */
export async function withFileLockAsync<T>(file: string, work: () => T): Promise<T> {
  const path = `${file}.lock`;
  const attempts = lockAttempts(path, QUICK, () => tryCreateQuick(path));
  let attempt = attempts.next();
  for (; !attempt.done; attempt = attempts.next()) {
    if (attempt.value.isStale) breakQuickLock(path, attempt.value.content);
    else await delay(QUICK.pauseMs);
  }
  return runAndRelease(path, attempt.value, work);
}

export interface LongLockOptions {
  readonly waitMs: number;
  /** The error after `waitMs`. */
  readonly busyError: (path: string) => AppError;
}

/**
 * Acquires the lock file at `path` for work that may take long, and returns a function that releases it and never
 * rejects. The holder writes a heartbeat to the file, so that others recognize a killed holder by the missing
 * heartbeat. This compares no clocks and no process ids, which mean nothing across machines or containers.
 */
export async function acquireLongLock(
  path: string,
  { waitMs, busyError }: LongLockOptions,
): Promise<() => Promise<void>> {
  const attempts = lockAttempts(path, { ...LONG, waitMs, busyError }, () => tryCreateLong(path));
  let attempt = attempts.next();
  for (; !attempt.done; attempt = attempts.next()) {
    const { isStale, content } = attempt.value;
    if (isStale) await removeLongLock(path, (current) => current === content);
    else await delay(LONG.pauseMs);
  }
  const { token, descriptor, heartbeat } = attempt.value;
  return async () => {
    clearInterval(heartbeat);
    try {
      closeSync(descriptor);
      await removeLongLock(path, (current) => current?.startsWith(`${token} `) === true);
    } catch {
      // The work is done. Other processes will notice the missing heartbeat.
    }
  };
}

interface Timing {
  readonly pauseMs: number;
  readonly staleAfterMs: number;
  readonly waitMs: number;
  readonly busyError: (path: string) => AppError;
}

const QUICK: Timing = {
  pauseMs: 10,
  staleAfterMs: 2_000,
  waitMs: 5_000,
  busyError: (path) =>
    new AppError(
      'BUSY',
      `Another process holds the lock ${escapeInvisible(path)}. If no such process is running, remove that file.`,
    ),
};

const HEARTBEAT_MS = 500;
const LONG = { pauseMs: 50, staleAfterMs: 6 * HEARTBEAT_MS };

/** The lock of another process. */
interface Obstacle {
  readonly content: string | undefined;
  readonly isStale: boolean;
}

/**
 * Tries to create the lock until that succeeds. After each failure yields the obstacle: the caller removes a stale lock,
 * and otherwise waits. Counts pauses, not elapsed time or file times: after the machine has slept, the holder had no
 * chance to write either, and the clocks of two machines that share a folder differ.
 */
function* lockAttempts<T>(
  path: string,
  { pauseMs, staleAfterMs, waitMs, busyError }: Timing,
  tryCreate: () => T | undefined,
): Generator<Obstacle, T> {
  let seen: string | undefined;
  let unchangedMs = 0;
  for (let waitedMs = 0; waitedMs <= waitMs; waitedMs += pauseMs) {
    const created = tryCreate();
    if (created !== undefined) return created;
    const content = readLock(path);
    unchangedMs = content === seen ? unchangedMs + pauseMs : 0;
    seen = content;
    yield { content, isStale: unchangedMs >= staleAfterMs };
  }
  throw busyError(path);
}

/** Creates a quick lock and returns its token. */
function tryCreateQuick(path: string): string | undefined {
  const descriptor = tryOpen(path);
  if (descriptor === undefined) return undefined;
  const token = randomHex(12);
  try {
    writeSync(descriptor, token);
  } catch (error) {
    // On a full disk the file may exist but stay empty, and would block every other process.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return token;
}

interface LongLock {
  readonly token: string;
  readonly descriptor: number;
  readonly heartbeat: NodeJS.Timeout;
}

function tryCreateLong(path: string): LongLock | undefined {
  const descriptor = tryOpen(path);
  if (descriptor === undefined) return undefined;
  const token = `${process.pid} ${randomHex(12)}`;
  let count = 0;
  // Write to the file that we created, even if another one has replaced it at the path.
  const beat = () => {
    try {
      writeSync(descriptor, `${token} ${++count}`, 0);
    } catch {
      // Full disk: in the worst case another process treats the lock as stale.
    }
  };
  beat();
  return { token, descriptor, heartbeat: setInterval(beat, HEARTBEAT_MS).unref() };
}

function tryOpen(path: string): number | undefined {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** Reads only a regular file: never follows a planted link and never blocks on a named pipe. */
function readLock(path: string): string | undefined {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const bytes = Buffer.alloc(MAX_CONTENT_BYTES);
    return fstatSync(descriptor).isFile() ? bytes.toString('utf8', 0, readSync(descriptor, bytes)) : undefined;
  } catch {
    // The lock was released in the meantime, or cannot be read.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const MAX_CONTENT_BYTES = 100;

/** Renames the lock before removing it: of two concurrent processes only one gets it, and checks that it is stale. */
function breakQuickLock(path: string, seen: string | undefined): void {
  const aside = `${path}.${randomHex(6)}.tmp`;
  try {
    renameSync(path, aside);
    if (readLock(aside) === seen) rmSync(aside, { force: true });
    else renameSync(aside, path);
  } catch {
    // Another process was faster. The next attempt reads the current state.
  }
}

/** Checks and removes a long lock under a quick one, so that no process removes the new lock of another. */
function removeLongLock(path: string, mayRemove: (content: string | undefined) => boolean): Promise<void> {
  return withFileLockAsync(path, () => {
    if (mayRemove(readLock(path))) rmSync(path, { force: true });
  });
}

/** Runs synchronously for `withFileLockAsync` too, so that nothing delays a process that holds the lock. */
function runAndRelease<T>(path: string, token: string, work: () => T): T {
  try {
    return work();
  } finally {
    if (readLock(path) === token) rmSync(path, { force: true });
  }
}
