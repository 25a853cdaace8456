import { AppError } from '../base/errors.ts';
import type { Peer } from '../wire/rpc/peer.ts';
import type { Transport } from './fronts/transport.ts';

/** How long calls that still run when the client leaves may take to finish. */
const DRAIN_MS = 5_000;

/** How long handlers may take to clean up once their signals are aborted. */
const ABORT_MS = 500;

/**
 * Carries one conversation from its first message to its end. `onLeave` is called as soon as the client has left, so
 * that whatever waits for it alone does not use up the time of the calls that can still finish.
 */
export async function runUntilClosed(
  transport: Transport,
  peer: Peer,
  onDisconnect?: (reason: AppError) => void,
): Promise<void> {
  const disconnected = new AppError('CONNECTION_CLOSED', 'The client left.');
  let stop: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
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
