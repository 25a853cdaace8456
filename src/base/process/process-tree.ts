import { spawn } from 'node:child_process';
import { win32 } from 'node:path';
import type { ScanProcesses } from './process-scanner.ts';
import { openLinuxTree } from './process-tree-linux.ts';
import { readStat } from './procfs.ts';
import { sendSignal } from './signal.ts';

/** A process that we started, with all its descendants. */
export interface ProcessTree {
  readonly leader: Leader;
  /** Returns the pids that are still alive; a negative one means a whole group. A zombie is not alive. May reject. */
  livingPids(): Promise<readonly number[]>;
  /** Signals the whole tree. Never rejects. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Process identity: `startTime` distinguishes it from a later process with the same pid. Unknown (0) outside Linux. */
export interface Leader {
  readonly pid: number;
  readonly startTime: number;
}

export interface ProcessTreeOptions {
  readonly pid: number;
  readonly mark: string;
  /** Used on Linux only. All trees of a run share it, because they are often stopped together. */
  readonly scanProcesses: ScanProcesses;
  hasExited(): boolean;
  /** No descendant leaves the process group. */
  readonly staysInGroup?: boolean;
}

/** Opens the tree of a process. Call it in the tick of the spawn: until we see the exit, the pid cannot be reused. */
export function openProcessTree(options: ProcessTreeOptions): ProcessTree {
  if (process.platform === 'win32') return openWindowsTree(options);
  try {
    const stat = readStat(options.pid);
    if (stat !== undefined && options.staysInGroup === true) return openProcessGroup(options, stat.startTime);
    if (stat !== undefined) return openLinuxTree(stat, options);
  } catch {
    // File descriptors ran out. The process already runs, so it must be tracked by its group at least.
  }
  return openProcessGroup(options);
}

/**
 * Opens a tree without /proc, or for `staysInGroup`. Covers the process group, but no process that has left it.
 *
 * Why this never signals a foreign process: until the leader exits, it holds its pid. After that the system does not
 * give the number to a new process as long as the group has a member. So when a process with this pid exists again,
 * the group was empty in between, and that process is not ours.
 */
function openProcessGroup({ pid, hasExited }: ProcessTreeOptions, startTime = 0): ProcessTree {
  let isEmpty = false;
  function probe(): boolean {
    // macOS reports EPERM for a group of zombies; `sendSignal` returns false for it.
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

/** Windows has no groups: `taskkill /T` follows the tree while its root is alive. Our handle keeps the pid reserved. */
function openWindowsTree({ pid, hasExited }: ProcessTreeOptions): ProcessTree {
  return {
    leader: { pid, startTime: 0 },
    livingPids: async () => (hasExited() ? [] : [pid]),
    signal: async () => {
      if (hasExited()) return;
      const options = { stdio: 'ignore', windowsHide: true } as const;
      // Without taskkill there is no other way to reach the tree; `livingPids` then still reports the process.
      spawn(taskkill(), ['/PID', String(pid), '/T', '/F'], options).on('error', () => {});
    },
  };
}

/** Returns the full path: Windows searches the working folder first for a bare name, where anybody may have put one. */
function taskkill(): string {
  return win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
}
