import { environmentContains, listLiveProcesses } from './procfs.ts';
import { sendSignal } from './signal.ts';

/** New processes may appear during a scan. After this many scans, we cannot kill those that are left. */
const MAX_SCANS = 5;

/**
 * Kills every process whose environment contains all these texts, wherever it is in the process tree. Does nothing
 * outside Linux, because it needs /proc. No foreign process may have all of the texts in its environment.
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
