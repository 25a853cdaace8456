/** Shows a person one confirmation at a time; further ones wait in a queue. */
export interface ConfirmationQueue {
  /** Waits for a turn. Its owner calls `end` exactly once. An aborted waiter leaves the queue immediately. */
  wait(signal: AbortSignal | undefined): Promise<QueueTurn>;
}

export type QueueTurn =
  | { readonly kind: 'turn'; end(): void }
  /** The queue has reached its limit. */
  | { readonly kind: 'full' }
  | { readonly kind: 'aborted' };

export function createConfirmationQueue(maxWaiting: number): ConfirmationQueue {
  /** In order of arrival. */
  const waiting = new Set<() => void>();
  let isTaken = false;

  const end = () => {
    const [next] = waiting;
    if (next === undefined) isTaken = false;
    else next();
  };

  return {
    async wait(signal) {
      if (signal?.aborted === true) return { kind: 'aborted' };
      if (isTaken) {
        if (waiting.size >= maxWaiting) return { kind: 'full' };
        if (!(await waitForTurn(waiting, signal))) return { kind: 'aborted' };
      }
      isTaken = true;
      return { kind: 'turn', end };
    },
  };
}

/** Resolves with true when the turn comes, with false when the signal aborts first. */
function waitForTurn(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isMine: boolean) => {
      waiting.delete(onTurn);
      signal?.removeEventListener('abort', onAbort);
      resolve(isMine);
    };
    const onTurn = () => finish(true);
    const onAbort = () => finish(false);
    waiting.add(onTurn);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
