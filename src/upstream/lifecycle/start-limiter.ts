import { availableParallelism } from 'node:os';

/**
 * Bounds how many servers start at the same time. A program that starts takes the processor from everybody else, and its
 * launch holds up our event loop for some milliseconds: so few start together, and between two launches the event loop
 * has a whole turn, in which pings and lists are answered.
 */
export interface StartLimiter {
  acquire(): StartSlot;
}

/** A place in the queue, and later the right to start. */
export interface StartSlot {
  /** Resolves when the server may be launched, or when the turn was given back. */
  readonly granted: Promise<void>;
  /** Somebody waits for this server: it goes first. */
  prioritize(): void;
  /** It has started or failed, or is no longer wanted. May be called twice. */
  release(): void;
}

export interface StartLimiterOptions {
  readonly maxConcurrent?: number;
  /** A server that takes longer to start mostly waits for something else, and lets the next one begin. */
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
    let resolve: () => void = () => {};
    const granted = new Promise<void>((done) => {
      resolve = done;
    });
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

/** For servers that are not started by us: to connect to one costs next to nothing. */
export const noStartLimit: StartLimiter = {
  acquire: () => ({ granted: Promise.resolve(), prioritize() {}, release() {} }),
};

const MAX_CONCURRENT_STARTS = Math.max(4, 2 * availableParallelism());
const MAX_HOLD_MS = 500;
