import { environmentContains, listLiveProcesses } from './procfs.ts';
import { sendSignal } from './signal.ts';

/** New ones may be born while we look; who is still there after this many looks cannot be ended by us. */
const MAX_SCANS = 5;

/**
 * Ends every process in whose environment all these texts stand, wherever it went. Works where there is a /proc, and
 * does nothing elsewhere. The texts must be such that nobody else has all of them.
 */
export async function killMarkedProcesses(texts: readonly string[]): Promise<void> {
  if (process.platform !== 'linux' || texts.length === 0) return;
  for (let scan = 0; scan < MAX_SCANS; scan++) {
    let found = 0;
    for await (const { pid } of listLiveProcesses()) {
      if (pid === process.pid || !texts.every((text) => environmentContains(pid, text))) continue;
      found++;
      sendSignal(pid, 'SIGKILL');
    }
    if (found === 0) return;
  }
}
