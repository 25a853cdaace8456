/**
 * Many deadlines on one coarse timer: a call costs a map entry, not a timer of its own.
 * A deadline is noticed at most `TICK_MS` late, never early. The timer does not keep the process alive.
 */
export interface Deadlines<Key> {
  set(key: Key, timeoutMs: number): void;
  clear(key: Key): void;
  close(): void;
}

/** Storage for deadlines: a `Map`, or a structure that suits the keys better. */
export interface DeadlineStore<Key> extends Iterable<readonly [Key, number]> {
  readonly size: number;
  set(key: Key, at: number): unknown;
  delete(key: Key): boolean;
  clear(): void;
}

export function createDeadlines<Key>(
  onExpire: (key: Key) => void,
  expiry: DeadlineStore<Key> = new Map<Key, number>(),
): Deadlines<Key> {
  let timer: NodeJS.Timeout | undefined;

  const tick = () => {
    const now = performance.now();
    for (const [key, at] of expiry) {
      if (at > now) continue;
      expiry.delete(key);
      onExpire(key);
    }
    if (expiry.size === 0) stop();
  };

  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    set(key, timeoutMs) {
      expiry.set(key, performance.now() + timeoutMs);
      timer ??= setInterval(tick, TICK_MS).unref();
    },
    clear(key) {
      expiry.delete(key);
    },
    close() {
      expiry.clear();
      stop();
    },
  };
}

const TICK_MS = 100;
