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
  const lock = createLock(file);
  for (const _ of lockAttempts(lock)) pause();
  return runAndRelease(lock, work);
}

/** Like `withFileLock`, for a process that serves clients: waiting does not block the event loop. */
export async function withFileLockAsync<T>(file: string, work: () => T): Promise<T> {
  const lock = createLock(file);
  for (const _ of lockAttempts(lock)) await delay(PAUSE_MS);
  return runAndRelease(lock, work);
}

interface Lock {
  readonly path: string;
  readonly token: string;
}

function createLock(file: string): Lock {
  return { path: `${file}.lock`, token: randomHex(12) };
}

/** Tries to acquire the lock and returns when it has it. Yields before each retry; the caller then waits `PAUSE_MS`. */
function* lockAttempts({ path, token }: Lock): Generator<undefined, void> {
  let seen: string | undefined;
  let staleInMs = STALE_AFTER_MS;
  for (let waited = 0; waited < GIVE_UP_AFTER_MS; waited += PAUSE_MS) {
    if (tryCreate(path, token)) return;
    const holder = readToken(path);
    staleInMs = holder === seen ? staleInMs - PAUSE_MS : STALE_AFTER_MS;
    seen = holder;
    if (staleInMs <= 0) breakStaleLock(path, seen);
    else yield;
  }
  throw new AppError('BUSY', `Another process keeps ${escapeInvisible(path)}. If none is running, remove that file.`);
}

/** Staleness is counted in pauses, not in file times: the clocks of two machines that share a folder differ. */
const PAUSE_MS = 10;
const STALE_AFTER_MS = 2_000;
const GIVE_UP_AFTER_MS = 5_000;

function tryCreate(path: string, token: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(descriptor, token);
  } catch (error) {
    // On a full disk the file may exist but stay empty, and would block every other process.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return true;
}

/** Reads only a regular file: never follows a planted link and never blocks on a named pipe. */
function readToken(lock: string): string | undefined {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(lock, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const bytes = Buffer.alloc(MAX_TOKEN_BYTES);
    return fstatSync(descriptor).isFile() ? bytes.toString('utf8', 0, readSync(descriptor, bytes)) : undefined;
  } catch {
    // The lock was released in the meantime, or cannot be read.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const MAX_TOKEN_BYTES = 100;

/** Renames the lock before removing it: of two concurrent processes only one gets it, and checks that it is stale. */
function breakStaleLock(lock: string, seen: string | undefined): void {
  const aside = `${lock}.${randomHex(6)}.tmp`;
  try {
    renameSync(lock, aside);
    if (readToken(aside) === seen) rmSync(aside, { force: true });
    else renameSync(aside, lock);
  } catch {
    // Another process was faster. The next attempt reads the current state.
  }
}

/** Runs synchronously for `withFileLockAsync` too, so that nothing delays a process that holds the lock. */
function runAndRelease<T>({ path, token }: Lock, work: () => T): T {
  try {
    return work();
  } finally {
    if (readToken(path) === token) rmSync(path, { force: true });
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
