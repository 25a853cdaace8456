import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect } from 'vitest';
import { initialized, initializeRequest } from '../gateway/run-cli.ts';
import { switchboard } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import type { Testbed } from './testbed.ts';

/** Longer than a row takes on a busy machine. Later commands would connect directly. */
const LIFETIME_MS = 300_000;

/**
 * Returns a function that starts the real gateway in a testbed, initializes it and waits until others can find it. After
 * each test, all of them are stopped, and must have been running until then.
 */
export function useGateways(processes: ProcessTracker): (testbed: Testbed) => Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()));
  });
  return async (testbed) => {
    const { command, args } = switchboard('gateway');
    const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') });
    const options = { env, cwd: testbed.path('project'), timeout: LIFETIME_MS };
    const started = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
    const exited = once(started, 'exit');
    closers.push(async () => {
      const ended = { status: started.exitCode, signal: started.signalCode };
      started.stdin.end();
      await exited;
      expect(ended).toEqual({ status: null, signal: null });
    });
    started.stdin.on('error', () => {});
    for (const message of [initializeRequest(), initialized]) started.stdin.write(`${JSON.stringify(message)}\n`);
    started.stdout.resume();
    await expect.poll(() => runningIn(testbed), { timeout: 30_000 }).toEqual([started.pid]);
  };
}

async function runningIn(testbed: Testbed): Promise<readonly number[]> {
  const { stdout } = await testbed.mcp('status', '--json');
  return JSON.parse(stdout).running.map(({ pid }: { readonly pid: number }) => pid);
}
