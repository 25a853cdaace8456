import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomHex } from '../base/digest.ts';
import { AppError } from '../base/errors.ts';
import { errnoOf } from './read-bytes.ts';
import { visible } from './visible-text.ts';

/**
 * Does the work while no other process does it for the same file: read, change and write is three steps. Holders are
 * quick, so that waiting here, which stops everything in this process, is a matter of milliseconds. A lock whose holder
 * was killed does not change for long, and is taken away. Throws what the work throws, and when the lock cannot be had.
 */
export function withFileLock<T>(file: string, work: () => T): T {
  const lock = `${file}.lock`;
  const mark = randomHex(12);
  acquire(lock, mark);
  try {
    return work();
  } finally {
    release(lock, mark);
  }
}

function acquire(lock: string, mark: string): void {
  let seen: string | undefined;
  let patience = STALE_AFTER_MS;
  for (let waited = 0; waited < GIVE_UP_AFTER_MS; waited += PAUSE_MS) {
    if (tryCreate(lock, mark)) return;
    const holder = readMark(lock);
    patience = holder === seen ? patience - PAUSE_MS : STALE_AFTER_MS;
    seen = holder;
    if (patience <= 0) takeAway(lock, seen);
    else pause();
  }
  throw new AppError('BUSY', `Another process keeps ${visible(lock)}. If none is running, remove that file.`);
}

/** No clock is asked: those of two machines that share a folder differ. */
const PAUSE_MS = 10;
const STALE_AFTER_MS = 2_000;
const GIVE_UP_AFTER_MS = 5_000;

function tryCreate(lock: string, mark: string): boolean {
  try {
    writeFileSync(lock, mark, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function readMark(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    // Released a moment ago.
    return undefined;
  }
}

/** Moved aside before it is removed: of two who do this at once only one has it in hands, and sees what it is. */
function takeAway(lock: string, seen: string | undefined): void {
  const aside = `${lock}.${randomHex(6)}.tmp`;
  try {
    renameSync(lock, aside);
    if (readMark(aside) === seen) rmSync(aside, { force: true });
    else renameSync(aside, lock);
  } catch {
    // Somebody else was faster, and the next round shows what is there now.
  }
}

function release(lock: string, mark: string): void {
  if (readMark(lock) === mark) rmSync(lock, { force: true });
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
