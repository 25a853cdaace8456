import { createDeferred } from '../../base/deferred.ts';
import { AppError } from '../../base/errors.ts';
import { pollEvery, waitUntil } from '../../base/wait-until.ts';
import type { EarlyResponder } from '../../serve/fronts/early-responder.ts';
import type { StdioFront } from '../../serve/fronts/stdio-front.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import type { Gateway } from '../gateway.ts';
import { openEras } from '../modern/stdio-eras.ts';
import type { Trace } from '../trace/trace.ts';
import type { GatewayView } from '../views/gateway-view.ts';

/**
 * How long pending calls and uncached servers may take to finish after the client disconnects. Together with stopping
 * the servers it stays below five seconds.
 */
const DRAIN_MS = 2_000;
const POLL_MS = 20;

export interface ServedConnection {
  /**
   * Ends the connection without waiting for pending calls. Waits for servers that are still starting only if
   * `mayFinishCaching` is set.
   */
  stop(options?: { readonly mayFinishCaching?: boolean }): void;
  /** Resolves when the client has disconnected and everything that was started for it has stopped. */
  readonly ended: Promise<void>;
}

export interface ServeOptions {
  readonly front: StdioFront;
  readonly earlyResponder: EarlyResponder;
  readonly trace?: Trace | undefined;
  /** What the client sees. Undefined shows everything. */
  readonly view?: GatewayView | undefined;
}

/** Serves the client of the early responder until it disconnects. */
export function serveStdio(gateway: Gateway, { front, earlyResponder, trace, view }: ServeOptions): ServedConnection {
  const tap = trace?.tapClient();
  const send = (message: OutgoingMessage) => front.send(message);
  const connect = (output: (message: OutgoingMessage) => void) => gateway.connect(output, view);
  const { client, receive, startedLegacy } = openEras(connect, tap?.send(send) ?? send);
  let isStopped = false;
  let mayFinishCaching = true;
  const clientLeft = createDeferred();
  const stopped = createDeferred();
  earlyResponder.handOver({
    receive: tap?.receive(receive) ?? receive,
    receiveAlreadyAnswered(frame, _, answer) {
      tap?.receive(() => {})(frame);
      tap?.send(() => {})(answer);
      startedLegacy();
      client.receiveAlreadyAnswered(frame, answer);
    },
    reportError: (error, head) => client.reportError(error, head === undefined ? [] : [head]),
    end: clientLeft.resolve,
    onFull: gateway.pause,
    onDrained: gateway.resume,
  });

  const end = async () => {
    await clientLeft.promise;
    const deadline = performance.now() + DRAIN_MS;
    const isDrained = waitUntil(pollEvery(POLL_MS), () => isStopped || !client.isBusy, { timeoutMs: DRAIN_MS });
    // A client that asks the gateway to stop may kill it a moment later, so a stop ends the wait at once.
    await Promise.race([isDrained, stopped.promise]);
    gateway.disconnect(client, new AppError('CONNECTION_CLOSED', 'The gateway is being stopped.'));
    if (mayFinishCaching) await gateway.finishCaching?.(deadline - performance.now());
    await Promise.all([front.close(), gateway.close()]);
  };

  return {
    stop(options = {}) {
      isStopped = true;
      mayFinishCaching = options.mayFinishCaching ?? false;
      front.stop();
      stopped.resolve();
      clientLeft.resolve();
    },
    ended: end(),
  };
}
