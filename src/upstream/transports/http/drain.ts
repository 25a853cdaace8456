import type { IncomingMessage } from 'node:http';

/** A body that nobody wants is read to its end, so that its connection can be used again; one without an end is not. */
export function drain(response: IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), DRAIN_MS).unref();
  response.on('close', () => clearTimeout(timer));
  // Whatever goes wrong with it concerns nobody.
  response.on('error', () => {});
  response.resume();
}

const DRAIN_MS = 1_000;
