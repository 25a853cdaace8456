import type { ServerOptions } from '../server.ts';

/** Passes an error with its stack to the server's `onError`. Never throws. */
export function reportHandlerError({ onError }: ServerOptions, error: unknown, where: string): void {
  try {
    onError?.(error, where);
  } catch {
    // A failing listener must not prevent the response with the original message.
  }
}
