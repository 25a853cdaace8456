import type { ServerOptions } from '../server.ts';

/** Hands a throw with its stack to whoever wrote the server. Never throws. */
export function reportHandlerError({ onError }: ServerOptions, error: unknown, where: string): void {
  try {
    onError?.(error, where);
  } catch {
    // The listener's own failure must not cost the client the message of the first.
  }
}
