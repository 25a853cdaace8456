/** Returns whether a process got the signal. ESRCH: there is none; EPERM: we may not signal any. Never throws. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
