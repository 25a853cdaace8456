import { AppError } from '../base/errors.ts';
import type { Peer } from '../wire/peer.ts';
import type { Transport } from './transport.ts';

/** How long calls that still run when the client leaves may take to finish. */
export const DRAIN_MS = 5_000;

/** How long handlers may take to clean up once their signals are aborted. */
export const ABORT_MS = 500;

/** Carries one conversation from its first message to its end. */
export async function converse(transport: Transport, peer: Peer): Promise<void> {
  const left = new AppError('CONNECTION_CLOSED', 'The client left.');
  await new Promise<void>((resolve) => {
    transport.start({
      message: peer.receive,
      fault: peer.complain,
      end: resolve,
      stop() {
        peer.close(left);
        resolve();
      },
    });
  });
  peer.hangUp();
  await within(DRAIN_MS, peer.idle());
  peer.close(left);
  await within(ABORT_MS, peer.idle());
  await transport.close();
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
