/** Work that waits while reading is paused. */
export interface Pausable {
  /** Runs the work as soon as reading is not paused, but never at once. */
  whenNotPaused(work: () => void): void;
  readonly isPaused: boolean;
  pause(): void;
  resume(): void;
}

export function createPausable(): Pausable {
  const deferred: (() => void)[] = [];
  let isPaused = false;
  const run = (work: () => void) => queueMicrotask(() => (isPaused ? deferred.push(work) : work()));
  return {
    whenNotPaused(work) {
      if (isPaused) deferred.push(work);
      else run(work);
    },
    get isPaused() {
      return isPaused;
    },
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      for (const work of deferred.splice(0)) run(work);
    },
  };
}
