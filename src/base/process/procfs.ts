import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** What Linux tells about one process. The pid and the start time together are never used twice. */
export interface ProcessStat {
  readonly pid: number;
  readonly isAlive: boolean;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the machine started. */
  readonly startTime: number;
}

/** How many processes are looked at before the event loop gets its turn: each look is two system calls that block. */
const SCAN_CHUNK = 8;

/** `undefined`: there is no such process, or no /proc. A zombie is there, but not alive. Throws when files run out. */
export function readStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    // It ended, or this is no Linux: either way nothing is known of it.
    return undefined;
  }
  // The second field is the name, in parentheses, and may itself contain anything: proc_pid_stat(5).
  const [state = '', ...numbers] = text.slice(text.lastIndexOf(') ') + 2).split(' ');
  const [parent = 0, group = 0, session = 0] = numbers.map(Number);
  return { pid, isAlive: !'ZXx'.includes(state), parent, group, session, startTime: Number(numbers[18]) };
}

/** All living processes that may be seen, one after the other, with pauses for the event loop. */
export async function* listLiveProcesses(): AsyncGenerator<ProcessStat> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const [index, pid] of pids.entries()) {
    // Also before the first: whoever waits for news of the process is told before it is looked for.
    if (index % SCAN_CHUNK === 0) await setImmediate();
    const found = readStat(Number(pid));
    if (found?.isAlive) yield found;
  }
}

export function environmentContains(pid: number, text: string): boolean {
  return readEnvironment(pid)?.includes(text) ?? false;
}

/** `undefined`: it ended meanwhile, or belongs to somebody else. Throws when files run out. */
export function readEnvironment(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    // Either way nothing of it can be read.
    return undefined;
  }
}

/** Then nothing is known; to take it for "no such process" would leave it running. */
function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}
