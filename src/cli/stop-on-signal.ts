import { STOP_SIGNALS } from '../serve/stop-signals.ts';

/** Calls `stop` for each termination signal. A second signal of the same kind exits immediately. */
export function stopOnSignal(stop: (signal: NodeJS.Signals) => void): void {
  for (const [signal, number] of STOP_SIGNALS) {
    let wasReceived = false;
    process.on(signal, () => {
      process.exitCode = 128 + number;
      // Not by re-raising the signal: exit handlers remove files such as the control socket.
      if (wasReceived) process.exit();
      wasReceived = true;
      stop(signal);
    });
  }
}
