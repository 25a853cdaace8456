import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** Status of one process on Linux. The system never reuses the same pair of pid and start time. */
export interface ProcessStat {
  readonly pid: number;
  readonly isAlive: boolean;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the machine started. */
  readonly startTime: number;
}

/** How many processes are read before the event loop gets a turn: each read is two blocking system calls. */
const SCAN_CHUNK = 8;

/**
 * Returns the status of a process; undefined if there is no such process, or no /proc. A zombie exists, but is not
 * alive. Throws when file descriptors run out.
 */
export function readStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    // The process has exited, or this is not Linux.
    return undefined;
  }
  // The second field is the name, in parentheses, and may itself contain anything: proc_pid_stat(5).
  const [state = '', ...numbers] = text.slice(text.lastIndexOf(') ') + 2).split(' ');
  const [parent = 0, group = 0, session = 0] = numbers.map(Number);
  return { pid, isAlive: !'ZXx'.includes(state), parent, group, session, startTime: Number(numbers[18]) };
}

/** Yields all visible live processes, with pauses for the event loop. */
export async function* listLiveProcesses(): AsyncGenerator<ProcessStat> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const [index, pid] of pids.entries()) {
    // Also before the first one, so that pending process events are delivered before the scan.
    if (index % SCAN_CHUNK === 0) await setImmediate();
    const found = readStat(Number(pid));
    if (found?.isAlive) yield found;
  }
}

export function environmentContains(pid: number, text: string): boolean {
  return readEnvironment(pid)?.includes(text) ?? false;
}

/** Returns undefined if the process has exited or belongs to another user. Throws when file descriptors run out. */
export function readEnvironment(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    // The process has exited, or we may not read it.
    return undefined;
  }
}

/** Detects that nothing can be read at all. Treating this as "no such process" would leave the process running. */
function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}
