import { setImmediate } from 'node:timers/promises';
import { listLiveProcesses, type ProcessStat, readEnvironment } from './procfs.ts';

interface ScannedProcess extends ProcessStat {
  /** Which marks of this run stand in its environment. Not looked for in processes older than whoever asked. */
  readonly marks: ReadonlySet<string>;
}

/**
 * Everybody who is alive, as seen by a look at /proc that begins after the call: a process that was started before it is
 * not missed. `since` is the start time of the oldest process of interest. Rejects when files run out.
 */
export type ScanProcesses = (since: number) => Promise<readonly ScannedProcess[]>;

interface ProcessScannerOptions {
  /** How every mark of this run begins; a number and a slash follow. */
  readonly prefix: string;
  readonly proc?: ProcReader;
}

/** What Linux tells of all processes, and of one. */
export interface ProcReader {
  listLiveProcesses(): AsyncIterable<ProcessStat>;
  readEnvironment(pid: number): Buffer | undefined;
}

/** One look serves all who asked before it began; whoever asks later shares the next, which waits for this one. */
export function createProcessScanner({
  prefix,
  proc = { listLiveProcesses, readEnvironment },
}: ProcessScannerOptions): ScanProcesses {
  let next: { since: number; readonly census: Promise<readonly ScannedProcess[]> } | undefined;
  let latest: Promise<unknown> = Promise.resolve();

  async function scan(): Promise<readonly ScannedProcess[]> {
    // Those who ask in the same moment are told of it one after the other.
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
      // Whether it failed is told to those who asked for it.
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
