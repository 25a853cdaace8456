import type { Transport, TransportReceiver } from '../serve/fronts/transport.ts';

/**
 * Two ends of one conversation in the same process. Messages are text and arrive in a later turn of the event loop, as
 * over a pipe: however fast both sides talk, timers still fire.
 */
export function createMemoryPair(): readonly [Transport, Transport] {
  const receivers: [TransportReceiver | undefined, TransportReceiver | undefined] = [undefined, undefined];
  const end = (own: 0 | 1, other: 0 | 1): Transport => ({
    start(receiver) {
      receivers[own] = receiver;
    },
    send(message) {
      setImmediate(() => receivers[other]?.message(message));
    },
    close() {
      setImmediate(() => receivers[other]?.end());
    },
  });
  return [end(0, 1), end(1, 0)];
}
