import { readFileSync } from 'node:fs';
import { readStat } from './procfs.ts';

/** Limit of the walk: a longer chain is a loop of pids that were reused during the walk. */
const MAX_ANCESTORS = 64;

/**
 * Returns the value of a variable from the nearest ancestor process that has it. A program in between may have passed
 * on only a part of its environment. Undefined if no ancestor has the variable, or if there is no /proc.
 */
export function readAncestorVariable(name: string, parent: number = process.ppid): string | undefined {
  let pid = parent;
  for (let step = 0; step < MAX_ANCESTORS && pid > 1; step++) {
    const value = readVariable(pid, name);
    if (value !== undefined) return value;
    pid = readStat(pid)?.parent ?? 0;
  }
  return undefined;
}

function readVariable(pid: number, name: string): string | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  } catch {
    // No /proc, a process of another user, or one that has exited: its environment is unreadable.
    return undefined;
  }
}
