import { AppError } from '../base/errors.ts';
import type { StdioFront } from '../serve/fronts/stdio-front.ts';
import type { Door } from './door.ts';
import type { Gateway } from './gateway.ts';

/** How long calls that still run when the client leaves may take to finish. With the stop of the servers it stays below
 * five seconds. */
const DRAIN_MS = 2_000;
const LOOK_EVERY_MS = 20;

export interface ServedClient {
  /** The process has been told to end: nobody is waited for. */
  stop(): void;
  /** Resolves when the client has left and everything that was started for it is gone. */
  readonly ended: Promise<void>;
}

/** Serves the one client that stands at the door until it leaves. */
export function serveStdio(gateway: Gateway, front: StdioFront, door: Door): ServedClient {
  const client = gateway.connect((message) => front.send(message));
  let isStopped = false;
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  door.enter({
    receive: (frame) => client.receive(frame),
    receiveAnswered: (frame) => client.receiveAnswered(frame),
    fault: (error) => client.complain(error),
    end: leave,
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
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
