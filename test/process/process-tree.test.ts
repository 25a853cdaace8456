import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { openProcessTree } from '../../src/base/process/process-tree.ts';
import { readStat } from '../../src/base/process/procfs.ts';

test.skipIf(process.platform === 'win32')('with staysInGroup, only the process group is searched', async () => {
  const leader = spawn('/bin/sh', ['-c', 'sleep 600 >/dev/null & echo ready; exec sleep 600'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { pid = 0 } = leader;
  const exited = once(leader, 'exit');
  const scanProcesses = () => Promise.reject(new Error('every process on the machine was scanned'));
  const hasExited = () => leader.exitCode !== null || leader.signalCode !== null;
  const family = openProcessTree({ pid, mark: '', scanProcesses, hasExited, staysInGroup: true });
  try {
    // The guard uses the start time to detect that the pid was reused.
    expect(family.leader).toEqual({ pid, startTime: readStat(pid)?.startTime ?? 0 });
    expect(await family.livingPids()).toEqual([-pid]);
    await once(leader.stdout, 'data');
    leader.kill('SIGKILL');
    await exited;
    // The background process is still running.
    expect(await family.livingPids()).toEqual([-pid]);
  } finally {
    await family.signal('SIGKILL');
  }
  await vi.waitFor(async () => expect(await family.livingPids()).toEqual([]), { timeout: 20_000 });
});
