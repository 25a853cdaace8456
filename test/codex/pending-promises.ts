/** Promises by key, which other code settles. Each has a deadline. */
export type PendingPromises<K, T> = {
  /** `what` names the awaited thing in the error at the deadline. */
  add(key: K, what: string): Promise<T>;
  keys(): readonly K[];
  /** Settles the promise of this key. Does nothing if there is none. */
  resolve(key: K, value: T): void;
  reject(key: K, reason: Error): void;
  /** Rejects all current and future promises. The first reason is kept. */
  close(reason: Error): void;
};

type Wait<T> = { readonly resolve: (value: T) => void; readonly reject: (reason: Error) => void };

export function openPendingPromises<K, T>(timeoutMs: number): PendingPromises<K, T> {
  const waiting = new Map<K, Wait<T> & { readonly timer: NodeJS.Timeout }>();
  let closed: Error | undefined;

  function take(key: K): Wait<T> | undefined {
    const wait = waiting.get(key);
    clearTimeout(wait?.timer);
    waiting.delete(key);
    return wait;
  }

  return {
    add(key, what) {
      if (closed !== undefined) return Promise.reject(closed);
      return new Promise((resolve, reject) => {
        const giveUp = () => take(key)?.reject(new Error(`no ${what} within ${timeoutMs} ms`));
        waiting.set(key, { resolve, reject, timer: setTimeout(giveUp, timeoutMs) });
      });
    },
    keys: () => [...waiting.keys()],
    resolve: (key, value) => take(key)?.resolve(value),
    reject: (key, reason) => take(key)?.reject(reason),
    close(reason) {
      closed ??= reason;
      for (const key of [...waiting.keys()]) take(key)?.reject(closed);
    },
  };
}
