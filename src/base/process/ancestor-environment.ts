import { readFileSync } from 'node:fs';
import { readStat } from './procfs.ts';

/** Longer chains do not exist, or are a circle of pids that were used again while we looked. */
const MAX_ANCESTORS = 64;

/**
 * The value of a variable in the environment of the nearest process above us that has it. A program between may have
 * handed on only a part of its environment. Undefined where nobody has it, or where there is no /proc.
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
    // No /proc, somebody else's process, or one that ended meanwhile: nothing is known of it.
    return undefined;
  }
}
