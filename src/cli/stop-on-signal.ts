import { STOP_SIGNALS } from '../serve/stop-signals.ts';

/** Calls `stop` for each signal that tells this process to end. The same signal again ends it at once. */
export function stopOnSignal(stop: (signal: NodeJS.Signals) => void): void {
  for (const [signal, number] of STOP_SIGNALS) {
    let wasReceived = false;
    process.on(signal, () => {
      process.exitCode = 128 + number;
      // Not by the signal itself: what has to be removed at the exit, such as our socket, is removed.
      if (wasReceived) process.exit();
      wasReceived = true;
      stop(signal);
    });
  }
}
