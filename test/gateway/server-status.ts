import { expect } from 'vitest';
import type { AggregateGateway } from '../../src/gateway/open/open-aggregate.ts';
import type { ServerStatus } from '../../src/gateway/status/server-status.ts';

/** Returns the gateway's status of one server. */
export function statusOf(gateway: AggregateGateway, server: string): ServerStatus {
  const status = gateway.status().find(({ id }) => id === server);
  if (status === undefined) throw new Error(`No server ${server}.`);
  return status;
}

/** Waits until the server is in this state. */
export async function untilState(
  gateway: AggregateGateway,
  server: string,
  state: ServerStatus['state'],
): Promise<void> {
  await expect.poll(() => statusOf(gateway, server).state, { timeout: 30_000, interval: 10 }).toBe(state);
}

/** Returns the process id of a running server. */
export function pidOf(gateway: AggregateGateway, server: string): number {
  return Number(/^pid (\d+)$/.exec(statusOf(gateway, server).where ?? '')?.[1]);
}
