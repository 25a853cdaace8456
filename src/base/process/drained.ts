import type { Readable } from 'node:stream';

/**
 * Resolves when everything that an exited process wrote has been read. A descendant may hold the pipe open. Then the
 * stream counts as drained when a whole turn of the event loop delivers nothing, because the output of an exited process
 * is already in the pipe. A timeout alone would lose output on a busy machine, or while the reader has paused.
 */
export async function whenDrained(stream: Readable, closesWithinMs: number): Promise<void> {
  await waitForClose(stream, closesWithinMs);
  let isQuiet = false;
  const onData = () => {
    isQuiet = false;
  };
  stream.on('data', onData);
  for (let turn = 0; turn < MAX_TURNS && !isQuiet && !stream.closed; turn++) {
    if (stream.isPaused() && !(await isResumed(stream))) break;
    isQuiet = true;
    // Two turns, because the first may end before anything is read.
    await nextTurn();
    await nextTurn();
    if (stream.isPaused()) isQuiet = false;
  }
  stream.off('data', onData);
}

/** Resolves when a process has exited and its stdout was read, even if a descendant holds the pipe open. */
export async function whenLastOutputRead(process: {
  readonly exited: Promise<unknown>;
  readonly stdout: Readable;
}): Promise<void> {
  await process.exited;
  await whenDrained(process.stdout, STDOUT_CLOSE_MS);
}

/** How long stdout may take to close after the process has exited, before only the data in the pipe is read. */
const STDOUT_CLOSE_MS = 20;
const MAX_TURNS = 100;
/** How long a reader may pause before the rest of the output is given up. */
const MAX_PAUSE_MS = 30_000;

export function waitForClose(stream: Readable, ms: number): Promise<void> {
  return stream.closed ? Promise.resolve() : waitForEvents(stream, ['close'], ms);
}

/** Resolves with false if the stream is closed or stays paused. */
async function isResumed(stream: Readable): Promise<boolean> {
  await waitForEvents(stream, ['resume', 'close'], MAX_PAUSE_MS);
  return !stream.closed && !stream.isPaused();
}

function waitForEvents(stream: Readable, events: readonly string[], ms: number): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      for (const event of events) stream.off(event, finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    for (const event of events) stream.on(event, finish);
  });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
