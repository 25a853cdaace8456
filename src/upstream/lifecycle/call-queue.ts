import { createDeadlines } from '../../base/deadlines.ts';
import { AppError } from '../../base/errors.ts';
import type { UpstreamCall } from '../connection/call.ts';
import { MAX_CALLS, MAX_QUEUED_BYTES } from '../limits.ts';

/** Calls queued until their server is ready. They keep their order and their deadlines. */
export interface CallQueue {
  /** Returns false if the queue is full. */
  add(call: UpstreamCall, timeoutMs: number): boolean;
  /**
   * Requeues a call that was lost with its server. Returns false if the queue is full or the call was requeued before.
   */
  requeue(call: UpstreamCall, timeoutMs: number): boolean;
  remove(call: UpstreamCall): boolean;
  isEmpty(): boolean;
  /** Removes and returns all calls in order, each with its remaining time. */
  takeAll(): readonly QueuedCall[];
}

export interface QueuedCall {
  readonly call: UpstreamCall;
  readonly leftMs: number;
}

export function createCallQueue(serverId: string): CallQueue {
  const queued = new Map<UpstreamCall, number>();
  /** Requeued once already. A call that is lost twice would be lost again. */
  const requeued = new WeakSet<UpstreamCall>();
  let bytes = 0;
  const deadlines = createDeadlines<UpstreamCall>((call) => {
    remove(call);
    call.fail(new AppError('TIMED_OUT', `${serverId} was not ready in time for ${call.method}.`));
  });

  const remove = (call: UpstreamCall): boolean => {
    if (!queued.delete(call)) return false;
    bytes -= call.bytes;
    deadlines.clear(call);
    return true;
  };

  const add = (call: UpstreamCall, timeoutMs: number): boolean => {
    if (queued.size >= MAX_CALLS || bytes + call.bytes > MAX_QUEUED_BYTES) return false;
    queued.set(call, performance.now() + timeoutMs);
    bytes += call.bytes;
    deadlines.set(call, timeoutMs);
    return true;
  };

  return {
    add,
    requeue(call, timeoutMs) {
      if (requeued.has(call)) return false;
      requeued.add(call);
      return add(call, timeoutMs);
    },
    remove,
    isEmpty: () => queued.size === 0,
    takeAll() {
      const now = performance.now();
      const all = [...queued].map(([call, until]) => ({ call, leftMs: Math.max(1, until - now) }));
      queued.clear();
      bytes = 0;
      deadlines.close();
      return all;
    },
  };
}
