/** A person is asked one question at a time; whoever comes meanwhile stands in line. */
export interface ConfirmationQueue {
  /** Whoever has the turn ends it, once. Who gives up waiting leaves the line at once. */
  wait(signal: AbortSignal | undefined): Promise<QueueTurn>;
}

export type QueueTurn =
  | { readonly kind: 'turn'; end(): void }
  /** Too many wait already. */
  | { readonly kind: 'full' }
  | { readonly kind: 'aborted' };

export function createConfirmationQueue(maxWaiting: number): ConfirmationQueue {
  /** In the order in which they came. */
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

/** True when the turn has come, false when the signal came first. */
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
