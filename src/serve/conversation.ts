import { AppError } from '../base/errors.ts';
import type { Peer } from '../wire/peer.ts';
import type { Transport } from './transport.ts';

/** How long calls that still run when the client leaves may take to finish. */
export const DRAIN_MS = 5_000;

/** Carries one conversation from its first message to its end: the client leaves, running calls finish or are aborted. */
export async function converse(transport: Transport, peer: Peer): Promise<void> {
  await new Promise<void>((resolve) => {
    transport.start({ message: peer.receive, fault: peer.complain, end: resolve });
  });
  peer.hangUp();
  await within(DRAIN_MS, peer.idle());
  peer.close(new AppError('CONNECTION_CLOSED', 'The client left.'));
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
