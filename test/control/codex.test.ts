import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import type { RunningInstance } from '../../src/control/socket/running-instances.ts';
import { CAPABILITIES_KEY, CLIENT_INFO_KEY, VERSION_KEY } from '../../src/wire/envelope-keys.ts';
import { startArguments } from '../codex-server/stop-phases.ts';
import { openTestbed } from '../codex-server/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { controlHarness, onlyRunning } from './harness.ts';

const processes = trackProcesses();
const controls = controlHarness();
const LONG_TIMEOUT = { timeoutMs: 30_000 };

describe('a running codex server', () => {
  /** Starts a server with its own home, and waits until it can be queried. */
  async function served(
    harness: Awaited<ReturnType<typeof openTestbed>>,
    clientInfo = { name: 'claude-code', version: '2' },
  ) {
    const testEnvironment = controls.testEnvironment();
    const client = await harness.serve({ env: { SWITCHBOARD_HOME: testEnvironment.home }, clientInfo });
    const running = await vi.waitFor((): RunningInstance => onlyRunning(testEnvironment), { timeout: 30_000 });
    // The file exists a moment before the process listens.
    await vi.waitFor(() => sendControlRequest(running, 'mcp.list', undefined, LONG_TIMEOUT), { timeout: 30_000 });
    return { client, running, run: join(testEnvironment.home, 'run') };
  }

  test('reports its role, its clients and what its sessions wait for', async () => {
    await using harness = await openTestbed(processes);
    const { client, running } = await served(harness);
    const asked = { ...startArguments([{ shell: 'touch x' }]), approvalPolicy: 'untrusted', waitSeconds: 20 };
    const { sessionId } = await client.call('codex_start', asked);
    expect(await sendControlRequest(running, 'mcp.list', undefined, LONG_TIMEOUT)).toEqual({
      v: 1,
      role: 'codex',
      pid: client.pid,
      version: VERSION,
      startedAt: expect.any(Number),
      cwd: harness.home.workDir,
      clients: ['claude-code 2'],
      servers: [],
      sessions: [{ id: sessionId, state: 'awaiting_approval', cwd: harness.home.workDir, questions: 1 }],
      problems: [],
    });
    await client.call('codex_interrupt', { sessionId });
  });

  test('reports the name that a modern client sends with its requests', async () => {
    await using harness = await openTestbed(processes);
    const { client, running } = await served(harness);
    const _meta = {
      [VERSION_KEY]: '2026-07-28',
      [CLIENT_INFO_KEY]: { name: 'modern-client', version: '3' },
      [CAPABILITIES_KEY]: {},
    };
    await client.request('tools/list', { _meta });
    expect(await sendControlRequest(running, 'mcp.list', undefined, LONG_TIMEOUT)).toMatchObject({
      clients: ['modern-client 3'],
    });
  });

  test('strips terminal control sequences from the client name', async () => {
    await using harness = await openTestbed(processes);
    const { running } = await served(harness, { name: '\u001b]0;owned\u0007evil\n\u202e', version: '\u001b[2J1' });
    expect(await sendControlRequest(running, 'mcp.list', undefined, LONG_TIMEOUT)).toMatchObject({
      clients: ['evil 1'],
      sessions: [],
    });
  });

  test.each([
    ['mcp.get', -32602, 'A codex server has no MCP servers of its own.'],
    ['mcp.attach', -32601, 'This process does not support attached clients.'],
    ['mcp.frob', -32601, 'A codex server does not support mcp.frob.'],
  ])('refuses %s', async (method, rpcCode, why) => {
    await using harness = await openTestbed(processes);
    const { client, running } = await served(harness);
    await expect(sendControlRequest(running, method, { id: 'x', server: 'x' }, LONG_TIMEOUT)).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
      message: `The Switchboard process ${client.pid} refused ${method}: ${why}`,
      data: { rpcCode },
    });
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'the end of its input'] as const)(
    'leaves no socket after %s',
    async (how) => {
      await using harness = await openTestbed(processes);
      const { client, running, run } = await served(harness);
      expect(existsSync(running.address)).toBe(true);
      if (how === 'the end of its input') client.endInput();
      else client.kill(how);
      await client.exited;
      expect(readdirSync(run)).toEqual([]);
    },
  );

  test.each(['SIGTERM', 'SIGINT', 'the end of its input'] as const)(
    'has no socket after %s, even if a call is running and the client kills it soon after',
    async (how) => {
      await using harness = await openTestbed(processes);
      const { client, running, run } = await served(harness);
      client.begin('tools/call', {
        name: 'codex_start',
        arguments: { ...startArguments([{ hang: true }]), waitSeconds: 20 },
      });
      await vi.waitFor(() => expect(harness.model.requests).toHaveLength(1), { timeout: 30_000 });
      if (how === 'the end of its input') client.endInput();
      else client.kill(how);
      await vi.waitFor(() => expect(existsSync(running.address)).toBe(false), { timeout: 30_000, interval: 5 });
      client.kill('SIGKILL');
      await client.exited;
      expect(readdirSync(run)).toEqual([]);
    },
  );

  test('leaves no socket after the same signal twice', async () => {
    await using harness = await openTestbed(processes);
    const { client, run } = await served(harness);
    client.begin('tools/call', {
      name: 'codex_start',
      arguments: { ...startArguments([{ hang: true }]), waitSeconds: 20 },
    });
    await vi.waitFor(() => expect(harness.model.requests).toHaveLength(1), { timeout: 30_000 });
    client.kill('SIGTERM');
    client.kill('SIGTERM');
    expect(await client.exited).toEqual({ code: 143, signal: null });
    expect(readdirSync(run)).toEqual([]);
  });

  test('serves its client even if no socket can be opened', async () => {
    await using harness = await openTestbed(processes);
    const client = await harness.serve({ env: { SWITCHBOARD_HOME: '/dev/null/nowhere' } });
    await vi.waitFor(
      () => expect(client.stderr()).toContain('The status of this Switchboard process cannot be queried:'),
      {
        timeout: 30_000,
      },
    );
    expect(await client.call('codex_start', { ...startArguments([{ message: 'hi' }]), waitSeconds: 20 })).toMatchObject(
      {
        status: 'done',
      },
    );
  });
});
