import { availableParallelism } from 'node:os';
import { createDeferred } from '../../base/deferred.ts';

/**
 * Limits how many servers start at the same time. A starting program takes CPU time from all others, and its launch
 * blocks our event loop for some milliseconds. So only a few start together, and the event loop completes a whole turn
 * between two launches, in which it answers pings and list requests.
 */
export interface StartLimiter {
  acquire(): StartSlot;
}

/** A place in the queue, which later becomes the permission to start. */
export interface StartSlot {
  /** Resolves when the server may be launched, or when the slot was released. */
  readonly granted: Promise<void>;
  /** Moves this server to the front of the queue, because a caller waits for it. */
  prioritize(): void;
  /** Frees the slot: the server has started, failed, or is no longer needed. May be called twice. */
  release(): void;
}

export interface StartLimiterOptions {
  readonly maxConcurrent?: number;
  /** Time after which a slow start frees its slot: the server is mostly waiting for something else by then. */
  readonly maxHoldMs?: number;
}

export function createStartLimiter({
  maxConcurrent = MAX_CONCURRENT_STARTS,
  maxHoldMs = MAX_HOLD_MS,
}: StartLimiterOptions = {}): StartLimiter {
  let queue: QueuedStart[] = [];
  let starting = 0;
  let isGranting = false;

  const grantLater = () => {
    if (isGranting || starting >= maxConcurrent || queue.length === 0) return;
    isGranting = true;
    setImmediate(() => {
      isGranting = false;
      if (starting < maxConcurrent) queue.shift()?.grant();
      grantLater();
    });
  };

  const acquire = (): StartSlot => {
    const { promise: granted, resolve } = createDeferred();
    let timer: NodeJS.Timeout | undefined;
    let isStarting = false;
    const release = () => {
      clearTimeout(timer);
      queue = queue.filter((other) => other !== queued);
      resolve();
      if (!isStarting) return;
      isStarting = false;
      starting--;
      grantLater();
    };
    const queued: QueuedStart = {
      grant() {
        starting++;
        isStarting = true;
        timer = setTimeout(release, maxHoldMs).unref();
        resolve();
      },
    };
    queue.push(queued);
    grantLater();
    return {
      granted,
      release,
      prioritize() {
        if (queue.includes(queued)) queue = [queued, ...queue.filter((other) => other !== queued)];
      },
    };
  };

  return { acquire };
}

interface QueuedStart {
  grant(): void;
}

/** For servers that we do not launch: connecting costs next to nothing. */
export const noStartLimit: StartLimiter = {
  acquire: () => ({ granted: Promise.resolve(), prioritize() {}, release() {} }),
};

const MAX_CONCURRENT_STARTS = Math.max(4, 2 * availableParallelism());
const MAX_HOLD_MS = 500;
