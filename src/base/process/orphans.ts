import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { GUARD_NAME, MARK_VARIABLE } from './mark.ts';
import { listLiveProcesses, readEnvironment } from './procfs.ts';

/** A process that an earlier run started and that outlived it. */
export interface OrphanedProcess {
  readonly pid: number;
  /** Its command line. */
  readonly command: string;
}

/**
 * Finds processes of this user that carry the mark of a run that has ended: no guard watches over them. Looks only at
 * processes with this home folder, because others belong to another installation. Finds nothing outside Linux.
 */
export async function findOrphans(home: string): Promise<readonly OrphanedProcess[]> {
  if (process.platform !== 'linux') return [];
  const found = await scan(home);
  if (found.length === 0) return [];
  // A process that is just being stopped may have lost its guard first.
  await delay(CONFIRM_AFTER_MS);
  const again = await scan(home);
  return found.filter(({ pid }) => again.some((other) => other.pid === pid));
}

const CONFIRM_AFTER_MS = 300;

async function scan(home: string): Promise<readonly OrphanedProcess[]> {
  const marked: { readonly pid: number; readonly runs: readonly string[] }[] = [];
  const guarded = new Set<string>();
  for await (const { pid } of listLiveProcesses()) {
    const words = readCommandLine(pid);
    const run = words.at(-2) === GUARD_NAME ? words.at(-1) : undefined;
    if (run !== undefined) guarded.add(run);
    const runs = pid === process.pid ? [] : runsOf(pid, home);
    if (runs.length > 0) marked.push({ pid, runs });
  }
  return marked
    .filter(({ runs }) => !runs.some((run) => guarded.has(run)))
    .map(({ pid }) => ({ pid, command: readCommandLine(pid).join(' ') }))
    .filter(({ command }) => command !== '');
}

const RUN = /^[0-9a-f]{32}$/;

/** Returns the runs in the mark of a process, outermost first. */
function runsOf(pid: number, home: string): readonly string[] {
  const variables = readEnvironment(pid)?.toString('utf8').split('\0') ?? [];
  const variable = (name: string) => variables.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  if (variable('HOME') !== home) return [];
  return variable(MARK_VARIABLE)
    .split('/')
    .filter((part) => RUN.test(part));
}

function readCommandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    // The process has exited.
    return [];
  }
}
