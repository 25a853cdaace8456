import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { switchboard } from '../interop/programs.ts';
import { recordedLines } from '../mcp/call-testbed.ts';
import { runAsJson } from '../mcp/listing-testbed.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { configureOne } from '../mcp/via-gateway-testbed.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

test('a gateway that no client has contacted answers requests and starts nothing', async () => {
  const harness = configureOne(newTestbed());
  const { command, args } = switchboard('gateway');
  const env = processes.env({ HOME: harness.folder, SWITCHBOARD_HOME: harness.path('own') });
  const gateway = spawn(command, args, { env, cwd: harness.path('project'), stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(gateway, 'exit');
  try {
    const running = async () => (await runAsJson(harness, 'status')).answer.running;
    await expect
      .poll(running, { timeout: 30_000, interval: 100 })
      .toMatchObject([
        { role: 'gateway', pid: gateway.pid, clients: [], servers: [{ id: 'one', state: 'connecting' }] },
      ]);
    expect(recordedLines(harness)).toEqual([]);
  } finally {
    gateway.stdin.end();
  }
  expect(await ended).toEqual([0, null]);
});
