import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createProcessTracker, isAlive, trackProcesses } from './processes.ts';

const forever = ['-e', 'process.stdout.write("ready"); setInterval(() => {}, 1000)'];

/** Not under test: ensures that even a failing test leaves no process. */
const net = trackProcesses();

describe.runIf(process.platform === 'linux')('the process tracker', () => {
  test('fails for a process that carries the mark, names it, and kills it', async () => {
    const tracker = createProcessTracker();
    const left = await startReady(process.execPath, forever, tracker.env());
    const exited = once(left, 'exit');
    await expect(tracker.assertAllGone({ withinMs: 0 })).rejects.toThrow(`${left.pid} ${process.execPath} -e`);
    expect(await exited).toEqual([null, 'SIGKILL']);
    await tracker.assertAllGone({ withinMs: 0 });
  });

  test('fails for a descendant in another session whose parent is gone', async () => {
    const tracker = createProcessTracker();
    const script = `require('node:child_process').spawn(process.execPath, ${JSON.stringify(forever)}, { detached: true,
      stdio: ['ignore', 'inherit', 'ignore'] }).unref()`;
    const parent = await startReady(process.execPath, ['-e', script], tracker.env());
    if (parent.exitCode === null) await once(parent, 'exit');
    expect(tracker.alive()).toHaveLength(1);
    await expect(tracker.assertAllGone({ withinMs: 0 })).rejects.toThrow('Still alive after 0 ms');
    await tracker.assertAllGone({ withinMs: 20_000 });
  });

  test('fails for a watched process without the mark, and ignores others', async () => {
    const tracker = createProcessTracker();
    const watched = await startReady(process.execPath, forever, {});
    const stranger = await startReady(process.execPath, forever, {});
    tracker.watch(Number(watched.pid));
    await expect(tracker.assertAllGone({ withinMs: 0 })).rejects.toThrow(`${watched.pid} `);
    expect(isAlive(Number(stranger.pid))).toBe(true);
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  });

  test('waits for processes that are just exiting', async () => {
    const tracker = createProcessTracker();
    const ending = await startReady(process.execPath, forever, tracker.env());
    ending.kill('SIGKILL');
    await tracker.assertAllGone({ withinMs: 20_000 });
  });

  test('counts a zombie as dead', async () => {
    const tracker = createProcessTracker();
    // `exec` replaces the shell, which has just started another process, with a program that never reaps.
    const script = 'sleep 60 & echo $!; exec sleep 61';
    const parent = await startReady('/bin/sh', ['-c', script], tracker.env());
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/cmdline`, 'utf8')).toBe('sleep\x0061\0');
    const zombie = Number(parent.firstOutput);
    process.kill(zombie, 'SIGKILL');
    await expect.poll(() => readFileSync(`/proc/${zombie}/stat`, 'utf8')).toContain(') Z ');
    expect(isAlive(zombie)).toBe(false);
    expect(tracker.alive().map(({ pid }) => pid)).toEqual([parent.pid]);
    parent.kill('SIGKILL');
    await tracker.assertAllGone({ withinMs: 20_000 });
  });
});

async function startReady(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ChildProcess & { readonly firstOutput: string }> {
  const started = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  if (started.pid !== undefined) net.watch(started.pid);
  const [chunk] = await once(started.stdout, 'data');
  return Object.assign(started, { firstOutput: String(chunk) });
}
