import type { Transport, TransportReceiver } from '../serve/fronts/transport.ts';

/**
 * Creates two connected in-process transports. Messages are text and arrive in a later turn of the event loop, as over
 * a pipe, so that timers still fire however fast both sides send.
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
