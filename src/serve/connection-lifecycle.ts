import { createDeferred } from '../base/deferred.ts';
import { AppError } from '../base/errors.ts';
import type { Peer } from '../wire/rpc/peer.ts';
import type { Transport } from './fronts/transport.ts';

/** How long pending calls may take to finish after the client disconnects. */
const DRAIN_MS = 5_000;

/** How long handlers may take to clean up once their signals are aborted. */
const ABORT_MS = 500;

/**
 * Runs one connection from its first message to its end. Calls `onDisconnect` as soon as the client has disconnected,
 * so that work waiting for the client ends then and does not use up the drain time of other calls.
 */
export async function runUntilClosed(
  transport: Transport,
  peer: Peer,
  onDisconnect?: (reason: AppError) => void,
): Promise<void> {
  const disconnected = new AppError('CONNECTION_CLOSED', 'The client disconnected.');
  const { promise: stopped, resolve: stop } = createDeferred();
  const ended = new Promise<void>((resolve) => {
    transport.start({ message: peer.receive, fault: peer.reportError, end: resolve, stop });
  });
  await Promise.race([ended, stopped]);
  peer.rejectPending(disconnected);
  onDisconnect?.(disconnected);
  await Promise.race([waitAtMost(DRAIN_MS, peer.whenIdle()), stopped]);
  peer.close(disconnected);
  await waitAtMost(ABORT_MS, peer.whenIdle());
  await transport.close();
}

async function waitAtMost(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
