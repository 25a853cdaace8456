import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { randomHex } from '../../base/digest.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { describeErrno, errnoOf } from '../../base/files/errno.ts';
import { withFileLockAsync } from '../../base/files/file-lock.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { describeRemedy } from '../../config/files/private-json.ts';
import { toConfigError } from '../../config/problem.ts';

/**
 * Runs the work while no other process runs work for the same file. The work may take long. The holder writes a
 * heartbeat to the file, so that others recognise a killed holder by the missing heartbeat. This compares no clocks and
 * no process ids, which mean nothing across machines or containers.
 */
export async function withRefreshLock<T>(file: string, work: () => Promise<T>, waitMs: number): Promise<T> {
  const held = await acquire(file, waitMs);
  try {
    return await work();
  } finally {
    await release(file, held);
  }
}

interface HeldLock {
  readonly descriptor: number;
  readonly token: string;
  readonly heartbeat: NodeJS.Timeout;
}

async function acquire(file: string, waitMs: number): Promise<HeldLock> {
  let seen: string | undefined;
  let unchangedMs = 0;
  // Count polls, not elapsed time: after the machine has slept, the holder had no chance to write either.
  for (let waitedMs = 0; waitedMs <= waitMs; waitedMs += POLL_MS) {
    const held = tryAcquire(file);
    if (held !== undefined) return held;
    const content = readContent(file);
    unchangedMs = content === seen ? unchangedMs + POLL_MS : 0;
    seen = content;
    if (unchangedMs >= STALE_AFTER_MS) await breakStaleLock(file, seen);
    else await delay(POLL_MS);
  }
  throw refreshBusy(file);
}

export function refreshBusy(file: string): AppError {
  return new AppError(
    'BUSY',
    `Another process is renewing this sign-in and keeps ${escapeInvisible(file)}. If none is running, remove that file.`,
  );
}

const POLL_MS = 50;
const HEARTBEAT_MS = 500;
/** Six missed heartbeats. */
const STALE_AFTER_MS = 3_000;

function tryAcquire(file: string): HeldLock | undefined {
  const token = `${process.pid} ${randomHex(12)}`;
  let descriptor: number;
  try {
    descriptor = openSync(file, 'wx', 0o600);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined;
    throw lockFailed(file, error);
  }
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
  return { descriptor, token, heartbeat: setInterval(beat, HEARTBEAT_MS).unref() };
}

function lockFailed(file: string, cause: unknown): AppError {
  const message = `The sign-in cannot be renewed without this file: ${describeErrno(cause)}.${describeRemedy(cause)}`;
  return toConfigError({ file, line: 0, message }, cause);
}

function readContent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Just released.
    return undefined;
  }
}

/**
 * Removes a stale lock. Checks and removes it under a file lock, like `release`, so that no process removes a new lock.
 */
async function breakStaleLock(file: string, seen: string | undefined): Promise<void> {
  try {
    await withFileLockAsync(file, () => {
      if (readContent(file) === seen) rmSync(file, { force: true });
    });
  } catch (error) {
    throw isAppError(error) ? error : lockFailed(file, error);
  }
}

async function release(file: string, { descriptor, token, heartbeat }: HeldLock): Promise<void> {
  clearInterval(heartbeat);
  try {
    closeSync(descriptor);
    await withFileLockAsync(file, () => {
      if (readContent(file)?.startsWith(`${token} `)) rmSync(file, { force: true });
    });
  } catch {
    // The work is done. Other processes will notice the missing heartbeat.
  }
}
