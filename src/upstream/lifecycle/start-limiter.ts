import { availableParallelism } from 'node:os';

/**
 * Bounds how many servers start at the same time. A program that starts takes the processor from everybody else, and its
 * launch holds up our event loop for some milliseconds: so few start together, and between two launches the event loop
 * has a whole turn, in which pings and lists are answered.
 */
export interface Launcher {
  enter(): Turn;
}

/** A place in the queue, and later the right to start. */
export interface Turn {
  /** Resolves when the server may be launched, or when the turn was given back. */
  readonly granted: Promise<void>;
  /** Somebody waits for this server: it goes first. */
  hurry(): void;
  /** It has started or failed, or is no longer wanted. May be called twice. */
  leave(): void;
}

export interface LauncherOptions {
  readonly atOnce?: number;
  /** A server that takes longer to start mostly waits for something else, and lets the next one begin. */
  readonly longestMs?: number;
}

export function createLauncher({ atOnce = STARTS_AT_ONCE, longestMs = LONGEST_MS }: LauncherOptions = {}): Launcher {
  let queue: Waiting[] = [];
  let starting = 0;
  let isGranting = false;

  const grantLater = () => {
    if (isGranting || starting >= atOnce || queue.length === 0) return;
    isGranting = true;
    setImmediate(() => {
      isGranting = false;
      if (starting < atOnce) queue.shift()?.grant();
      grantLater();
    });
  };

  const enter = (): Turn => {
    let resolve: () => void = () => {};
    const granted = new Promise<void>((done) => {
      resolve = done;
    });
    let timer: NodeJS.Timeout | undefined;
    let isStarting = false;
    const leave = () => {
      clearTimeout(timer);
      queue = queue.filter((other) => other !== waiting);
      resolve();
      if (!isStarting) return;
      isStarting = false;
      starting--;
      grantLater();
    };
    const waiting: Waiting = {
      grant() {
        starting++;
        isStarting = true;
        timer = setTimeout(leave, longestMs).unref();
        resolve();
      },
    };
    queue.push(waiting);
    grantLater();
    return {
      granted,
      leave,
      hurry() {
        if (queue.includes(waiting)) queue = [waiting, ...queue.filter((other) => other !== waiting)];
      },
    };
  };

  return { enter };
}

interface Waiting {
  grant(): void;
}

/** For servers that are not started by us: to connect to one costs next to nothing. */
export const unboundedLauncher: Launcher = {
  enter: () => ({ granted: Promise.resolve(), hurry() {}, leave() {} }),
};

const STARTS_AT_ONCE = Math.max(4, 2 * availableParallelism());
const LONGEST_MS = 500;
