/**
 * Lets few programs be launched at the same time: each launch holds up the event loop for some milliseconds, and the
 * client is to be answered between them. What a program does after its launch is nobody's turn.
 */
export interface Launcher {
  launch<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createLauncher(atOnce = LAUNCHES_AT_ONCE): Launcher {
  const waiting: (() => void)[] = [];
  let running = 0;

  const enter = (): Promise<void> => {
    if (running < atOnce) {
      running++;
      return Promise.resolve();
    }
    return new Promise((resolve) => waiting.push(resolve));
  };

  const leave = () => {
    const next = waiting.shift();
    // The place is handed on; the event loop gets its turn in between.
    if (next === undefined) running--;
    else setImmediate(next);
  };

  return {
    async launch(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

const LAUNCHES_AT_ONCE = 4;
