import { AppError } from '../base/errors.ts';
import { StdioFront } from '../serve/fronts/stdio-front.ts';
import type { Gateway } from './gateway.ts';

/** How long calls that still run when the client leaves may take to finish. Together with the stop of the upstreams it
 * stays below five seconds. */
const DRAIN_MS = 2_000;
const LOOK_EVERY_MS = 20;

export interface ServedClient {
  /** The process has been told to end: nobody is waited for. */
  stop(): void;
  /** Resolves when the client has left and everything that was started for it is gone. */
  readonly ended: Promise<void>;
  /** Why answers were lost; undefined when none were. */
  failure(): AppError | undefined;
}

/** Serves the one client on stdin and stdout until it leaves. */
export function serveStdio(
  gateway: Gateway,
  front = new StdioFront({ onFull: gateway.pause, onDrained: gateway.resume }),
): ServedClient {
  const client = gateway.connect((message) => front.send(message));
  let isStopped = false;
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  front.start({
    frame: (frame) => client.receive(frame),
    fault: (error) => client.complain(error),
    end({ rest }) {
      // A last line without its line end is still a message.
      if (rest !== undefined) client.receive(rest);
      leave();
    },
  });

  const end = async () => {
    await left;
    const deadline = performance.now() + DRAIN_MS;
    while (client.isBusy && !isStopped && performance.now() < deadline) await pause(LOOK_EVERY_MS);
    gateway.disconnect(client, new AppError('CONNECTION_CLOSED', 'The gateway is being stopped.'));
    await Promise.all([front.close(), gateway.close()]);
  };

  return {
    stop() {
      isStopped = true;
      front.stop();
      leave();
    },
    ended: end(),
    failure: () => front.failure(),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
