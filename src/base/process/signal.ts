/** Says whether the signal reached somebody. ESRCH: nobody is there; EPERM: nobody whom we may end. Never throws. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
