import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { randomHex } from '../../base/digest.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { visible } from '../../base/text/visible-text.ts';
import { whenFileIsFree } from '../../config/file-lock.ts';
import { remedyFor } from '../../config/files/private-json.ts';
import { errnoOf, errnoText } from '../../config/files/small-file.ts';
import { toError } from '../../config/problem.ts';

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

interface Held {
  readonly descriptor: number;
  readonly mark: string;
  readonly beats: NodeJS.Timeout;
}

async function acquire(file: string, waitMs: number): Promise<Held> {
  let seen: string | undefined;
  let silentMs = 0;
  // Counted, not measured: after a sleep of the whole machine the holder has not had its chance to write either.
  for (let waitedMs = 0; waitedMs <= waitMs; waitedMs += PAUSE_MS) {
    const held = tryHold(file);
    if (held !== undefined) return held;
    const content = readContent(file);
    silentMs = content === seen ? silentMs + PAUSE_MS : 0;
    seen = content;
    if (silentMs >= SILENT_MS) await takeAway(file, seen);
    else await delay(PAUSE_MS);
  }
  throw refreshBusy(file);
}

export function refreshBusy(file: string): AppError {
  return new AppError(
    'BUSY',
    `Another process is renewing this sign-in and keeps ${visible(file)}. If none is running, remove that file.`,
  );
}

const PAUSE_MS = 50;
const BEAT_MS = 500;
/** Six beats that did not come. */
const SILENT_MS = 3_000;

function tryHold(file: string): Held | undefined {
  const mark = `${process.pid} ${randomHex(12)}`;
  let descriptor: number;
  try {
    descriptor = openSync(file, 'wx', 0o600);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined;
    throw notHeld(file, error);
  }
  let count = 0;
  // Into the file that we made, whatever stands under its name by now.
  const beat = () => {
    try {
      writeSync(descriptor, `${mark} ${++count}`, 0);
    } catch {
      // A full disk: at worst somebody takes the lock for one of a killed process.
    }
  };
  beat();
  return { descriptor, mark, beats: setInterval(beat, BEAT_MS).unref() };
}

function notHeld(file: string, cause: unknown): AppError {
  const message = `The sign-in cannot be renewed without this file: ${errnoText(cause)}.${remedyFor(cause)}`;
  return toError({ file, line: 0, message }, cause);
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
async function takeAway(file: string, seen: string | undefined): Promise<void> {
  try {
    await whenFileIsFree(file, () => {
      if (readContent(file) === seen) rmSync(file, { force: true });
    });
  } catch (error) {
    throw isAppError(error) ? error : notHeld(file, error);
  }
}

async function release(file: string, { descriptor, mark, beats }: Held): Promise<void> {
  clearInterval(beats);
  try {
    closeSync(descriptor);
    await whenFileIsFree(file, () => {
      if (readContent(file)?.startsWith(`${mark} `)) rmSync(file, { force: true });
    });
  } catch {
    // The work is done, and that counts; the others notice that nobody writes here any more.
  }
}
