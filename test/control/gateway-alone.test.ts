import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { switchboard } from '../interop/programs.ts';
import { noted } from '../mcp/call-world.ts';
import { runAsJson } from '../mcp/listing-world.ts';
import { configureOne } from '../mcp/via-gateway-world.ts';
import { useWorlds } from '../mcp/world.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const newWorld = useWorlds(processes);

test('a gateway that no client has contacted answers requests and starts nothing', async () => {
  const world = configureOne(newWorld());
  const { command, args } = switchboard('gateway');
  const env = processes.env({ HOME: world.folder, SWITCHBOARD_HOME: world.path('own') });
  const gateway = spawn(command, args, { env, cwd: world.path('project'), stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(gateway, 'exit');
  try {
    const running = async () => (await runAsJson(world, 'status')).answer.running;
    await expect
      .poll(running, { timeout: 30_000, interval: 100 })
      .toMatchObject([
        { role: 'gateway', pid: gateway.pid, clients: [], servers: [{ id: 'one', state: 'connecting' }] },
      ]);
    expect(noted(world)).toEqual([]);
  } finally {
    gateway.stdin.end();
  }
  expect(await ended).toEqual([0, null]);
});
