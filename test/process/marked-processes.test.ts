import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { killMarkedProcesses } from '../../src/base/process/marked-processes.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const isLinux = process.platform === 'linux';

test.runIf(isLinux)('stops only processes that carry every mark, wherever they are', async () => {
  const mark = `sweep-${process.pid}`;
  const start = (extra: Record<string, string>) =>
    spawn('sleep', ['60'], { env: processes.env(extra), stdio: 'ignore', detached: true });
  const both = start({ A_RUN: mark, A_SESSION: `${mark}-one` });
  const other = start({ A_RUN: mark, A_SESSION: `${mark}-two` });
  await Promise.all([once(both, 'spawn'), once(other, 'spawn')]);
  const ended = once(both, 'exit');

  await killMarkedProcesses([`A_RUN=${mark}`, `A_SESSION=${mark}-one`]);

  expect((await ended)[1]).toBe('SIGKILL');
  expect(other.exitCode ?? other.signalCode).toBeNull();
  other.kill('SIGKILL');
  await once(other, 'exit');
});
