import { spawn } from 'node:child_process';
import { win32 } from 'node:path';
import type { ScanProcesses } from './process-scanner.ts';
import { openLinuxTree } from './process-tree-linux.ts';
import { readStat } from './procfs.ts';
import { sendSignal } from './signal.ts';

/** A process that we started, with everything that came from it. */
export interface ProcessTree {
  readonly leader: Leader;
  /** Ids of those who are still alive; a negative id stands for a whole group. A zombie is not alive. May reject. */
  livingPids(): Promise<readonly number[]>;
  /** Reaches all of them; never rejects. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Who the process is: `startTime` tells it from a later process with the same pid. Unknown (0) outside Linux. */
export interface Leader {
  readonly pid: number;
  readonly startTime: number;
}

export interface ProcessTreeOptions {
  readonly pid: number;
  readonly mark: string;
  /** Used on Linux alone; shared by all families of a run, because they are often ended together. */
  readonly scanProcesses: ScanProcesses;
  hasExited(): boolean;
  /** No descendant leaves the process group. */
  readonly staysInGroup?: boolean;
}

/** Must be called in the tick of the spawn: until we have seen the exit, the pid cannot belong to anybody else. */
export function openProcessTree(options: ProcessTreeOptions): ProcessTree {
  if (process.platform === 'win32') return openWindowsTree(options);
  try {
    const stat = readStat(options.pid);
    if (stat !== undefined && options.staysInGroup === true) return openProcessGroup(options, stat.startTime);
    if (stat !== undefined) return openLinuxTree(stat, options);
  } catch {
    // Out of file descriptors; the process runs already and must be held by its group at least.
  }
  return openProcessGroup(options);
}

/**
 * Used without /proc, and for `staysInGroup`. Covers the process group, but no process that has left it.
 *
 * Why this cannot hit a stranger: while the leader has not exited, it holds its pid. After that the system does not
 * give the number to a new process as long as the group has a member; so when a process with this pid exists again,
 * the group was empty in between, and whatever has the number now is not ours.
 */
function openProcessGroup({ pid, hasExited }: ProcessTreeOptions, startTime = 0): ProcessTree {
  let isEmpty = false;
  function probe(): boolean {
    // macOS answers EPERM for a group of zombies; `sendSignal` counts that as nobody.
    isEmpty ||= (hasExited() && sendSignal(pid, 0)) || !sendSignal(-pid, 0);
    return !isEmpty;
  }
  return {
    leader: { pid, startTime },
    livingPids: async () => (probe() ? [-pid] : []),
    signal: async (signal) => {
      if (probe()) sendSignal(-pid, signal);
    },
  };
}

/** Windows knows no groups: `taskkill /T` follows the tree, as long as its root lives; our handle holds its pid. */
function openWindowsTree({ pid, hasExited }: ProcessTreeOptions): ProcessTree {
  return {
    leader: { pid, startTime: 0 },
    livingPids: async () => (hasExited() ? [] : [pid]),
    signal: async () => {
      if (hasExited()) return;
      const options = { stdio: 'ignore', windowsHide: true } as const;
      // Without taskkill there is no other way to reach the tree; `living` tells that somebody is left.
      spawn(taskkill(), ['/PID', String(pid), '/T', '/F'], options).on('error', () => {});
    },
  };
}

/** By its full path: Windows looks for a bare name in the working folder first, where anybody may have put one. */
function taskkill(): string {
  return win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
}
