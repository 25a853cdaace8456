import type { Leader, ProcessTree, ProcessTreeOptions } from './process-tree.ts';
import { type ProcessStat, readStat } from './procfs.ts';
import { sendSignal } from './signal.ts';

/**
 * Opens a tree that consists of the process group, the session, every process with the mark in its environment, and all
 * their descendants. A process leaves it only if it starts a session, drops its environment and loses its parent.
 *
 * Why this never signals a foreign process: the kernel does not reuse a number as long as it names a process, a group
 * or a session. So `pid` as a group is ours if the process with that number is our leader (same start time), or if
 * there is none and the group has members. Single processes are identified by their start time, read again just before
 * each signal. The remaining window is the time between two system calls, in which all other pids would have to be used
 * up.
 */
export function openLinuxTree(leader: Leader, { mark, hasExited, scanProcesses }: ProcessTreeOptions): ProcessTree {
  // A process found once stays in the tree, even if its parent exits or its environment changes.
  let known: ReadonlyMap<number, ProcessStat> = new Map();

  async function find(): Promise<ReadonlyMap<number, ProcessStat>> {
    // A process older than the leader cannot descend from it, so most environments need not be read.
    const living = await scanProcesses(leader.startTime);
    const ownsNumber = ownsPid(leader);
    const members = living.filter(
      ({ pid, startTime, group, session, marks }) =>
        (startTime >= leader.startTime && marks.has(mark)) ||
        known.get(pid)?.startTime === startTime ||
        (ownsNumber && (group === leader.pid || session === leader.pid)),
    );
    known = withDescendants(members, living);
    return known;
  }

  async function signalAll(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const members = [...(await find()).values()];
    const isInGroup = (stat: ProcessStat): boolean => stat.group === leader.pid;
    // One call for the whole group: no member can escape the signal by forking.
    if (members.some(isInGroup) && ownsPid(leader)) sendSignal(-leader.pid, signal);
    for (const { pid, startTime } of members.filter((stat) => !isInGroup(stat))) {
      if (readStat(pid)?.startTime === startTime) sendSignal(pid, signal);
    }
  }

  return {
    leader: { pid: leader.pid, startTime: leader.startTime },
    livingPids: async () => [...(await find()).keys()],
    signal: (signal) =>
      signalAll(signal).catch(() => {
        // Without file descriptors nothing can be looked up. A leader whose exit we have not seen still owns its pid.
        if (!hasExited()) sendSignal(-leader.pid, signal);
      }),
  };
}

function ownsPid(leader: Leader): boolean {
  const holder = readStat(leader.pid);
  return holder === undefined || holder.startTime === leader.startTime;
}

function withDescendants(members: readonly ProcessStat[], living: readonly ProcessStat[]): Map<number, ProcessStat> {
  const tree = new Map(members.map((stat) => [stat.pid, stat]));
  for (let size = -1; size !== tree.size; ) {
    size = tree.size;
    for (const stat of living) if (tree.has(stat.parent)) tree.set(stat.pid, stat);
  }
  return tree;
}
