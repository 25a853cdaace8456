import { setImmediate } from 'node:timers/promises';
import { listLiveProcesses, type ProcessStat, readEnvironment } from './procfs.ts';

interface ScannedProcess extends ProcessStat {
  /** Marks of this run in its environment. Empty for processes older than `since`: their environment is not read. */
  readonly marks: ReadonlySet<string>;
}

/**
 * Lists all live processes, from a scan of /proc that begins after the call: it does not miss a process that was
 * started before. `since` is the start time of the oldest process of interest. Rejects when file descriptors run out.
 */
export type ScanProcesses = (since: number) => Promise<readonly ScannedProcess[]>;

interface ProcessScannerOptions {
  /** The start of every mark of this run; a number and a slash follow. */
  readonly prefix: string;
  readonly proc?: ProcReader;
}

/** Read access to /proc. */
export interface ProcReader {
  listLiveProcesses(): AsyncIterable<ProcessStat>;
  readEnvironment(pid: number): Buffer | undefined;
}

/** Creates a scanner that shares scans: one scan serves all earlier callers. Later callers share the next scan. */
export function createProcessScanner({
  prefix,
  proc = { listLiveProcesses, readEnvironment },
}: ProcessScannerOptions): ScanProcesses {
  let next: { since: number; readonly census: Promise<readonly ScannedProcess[]> } | undefined;
  let latest: Promise<unknown> = Promise.resolve();

  async function scan(): Promise<readonly ScannedProcess[]> {
    // Lets callers that react to the same event one after the other share this scan.
    await setImmediate();
    const since = next?.since ?? 0;
    next = undefined;
    const entries: ScannedProcess[] = [];
    for await (const stat of proc.listLiveProcesses()) {
      const environment = stat.startTime >= since ? proc.readEnvironment(stat.pid) : undefined;
      entries.push({ ...stat, marks: environment === undefined ? NONE : findMarks(environment, prefix) });
    }
    return entries;
  }

  return (since) => {
    if (next === undefined) {
      next = { since, census: latest.then(scan) };
      // The callers of a failed scan get its error; the next scan starts anyway.
      latest = next.census.catch(() => {});
    }
    next.since = Math.min(next.since, since);
    return next.census;
  };
}

const NONE: ReadonlySet<string> = new Set();

function findMarks(environment: Buffer, prefix: string): ReadonlySet<string> {
  let at = environment.indexOf(prefix);
  if (at === -1) return NONE;
  const marks = new Set<string>();
  for (; at !== -1; at = environment.indexOf(prefix, at + 1)) {
    const slash = environment.indexOf('/', at + Buffer.byteLength(prefix));
    if (slash !== -1) marks.add(environment.toString('utf8', at, slash + 1));
  }
  return marks;
}
