import type { IncomingMessage } from 'node:http';

/**
 * Reads an unneeded body to its end, so that its connection can be reused. Destroys a body that does not end in time.
 */
export function drain(response: IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), DRAIN_MS).unref();
  response.on('close', () => clearTimeout(timer));
  // Errors of an unneeded body do not matter.
  response.on('error', () => {});
  response.resume();
}

const DRAIN_MS = 1_000;
