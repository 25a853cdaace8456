const EXIT_DELAY_MS = 100;

/**
 * Exits shortly, unless the process ends by itself. Call it when all output is written and all processes are stopped:
 * no open handle may then keep the process alive, not even a client that stays connected.
 */
export function exitSoon(): void {
  setTimeout(() => process.exit(), EXIT_DELAY_MS).unref();
}
