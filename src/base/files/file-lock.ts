import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { randomHex } from '../digest.ts';
import { AppError } from '../errors.ts';
import { escapeInvisible } from '../text/visible-text.ts';
import { errnoOf } from './errno.ts';

/**
 * Does the work while no other process does it for the same file: read, change and write is three steps. Holders are
 * quick, and a lock whose holder was killed does not change for long, and is taken away. Waiting for that stops everything
 * in this process: for commands. Throws what the work throws, and when the lock cannot be had.
 */
export function withFileLock<T>(file: string, work: () => T): T {
  const lock = createLock(file);
  for (const _ of lockAttempts(lock)) pause();
  return runAndRelease(lock, work);
}

/** As `withFileLock`, for a process that serves others: while it waits, they are served. */
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

/** Ends when the lock is had; until then each step is a wait of `PAUSE_MS`. */
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

/** No clock is asked: those of two machines that share a folder differ. */
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
    // On a full disk there is room for its name only, and that would be in everybody's way.
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
    // Released a moment ago.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const MAX_TOKEN_BYTES = 100;

/** Moved aside before it is removed: of two who do this at once only one has it in hands, and sees what it is. */
function breakStaleLock(lock: string, seen: string | undefined): void {
  const aside = `${lock}.${randomHex(6)}.tmp`;
  try {
    renameSync(lock, aside);
    if (readToken(aside) === seen) rmSync(aside, { force: true });
    else renameSync(aside, lock);
  } catch {
    // Somebody else was faster, and the next round shows what is there now.
  }
}

/** In one go, also for who waited otherwise: a holder is never held up. */
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
