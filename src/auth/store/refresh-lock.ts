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
 * Does the work while no other process does it for the same file; it may take its time. Whoever has the file writes to
 * it again and again, so that one whose holder was killed is told by its silence: no clock is compared, and no process
 * id, which mean nothing on another machine or in another container.
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
  // Counted, not measured: after a sleep of the whole machine the holder has not had its chance to write either.
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
/** Six beats that did not come. */
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
  // Into the file that we made, whatever stands under its name by now.
  const beat = () => {
    try {
      writeSync(descriptor, `${token} ${++count}`, 0);
    } catch {
      // A full disk: at worst somebody takes the lock for one of a killed process.
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
    // Released a moment ago.
    return undefined;
  }
}

/** Looked at again and removed in one step, as releasing is: nobody removes what somebody else has just made. */
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
    // The work is done, and that counts; the others notice that nobody writes here any more.
  }
}
