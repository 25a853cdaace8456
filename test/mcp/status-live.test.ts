import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, vi } from 'vitest';
import type { RunningStatus } from '../../src/control/status/running-status.ts';
import { fixture } from '../fixtures/paths.ts';
import { call } from '../gateway/run-cli.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { useRunning } from './running-processes.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const running = useRunning(processes);
const WITHIN = { timeout: 40_000, interval: 200 };

describe('mcp status of a running gateway', () => {
  verifies(
    ['host:status:columns', 'host:status:states'],
    'shows every server with its state, what it offers and the next step',
    async () => {
      const web = await openServerWithSignIn();
      const testbed = configure(newTestbed(), {
        good: fixture('well-behaved'),
        slow: { ...fixture('hangs-at-initialize'), startup_timeout_ms: 120_000 },
        dead: { command: 'no-such-program-anywhere' },
        off: { command: 'x', enabled: false },
        web: { url: `${web.origin}/mcp` },
      });
      try {
        const { pid } = await running.gateway(testbed);
        await running.until(
          testbed,
          (running) => statesOf(running) === 'ready connecting error disabled auth_required',
        );
        // The crashed server is restarted periodically, and is connecting meanwhile.
        await vi.waitFor(async () => {
          const { status, stdout, stderr } = await testbed.mcp('status');
          expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
          const [head, ...rows] = stdout.trimEnd().split('\n');
          expect(head).toBe(`gateway · pid ${pid} · up under a minute · ${testbed.path('project')} · for test 1`);
          expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
            ['id', 'transport', 'source', 'enabled', 'state', 'tools', 'calls', 'p50', 'note'],
            ['good', 'stdio', 'global', 'yes', 'ready', expect.stringMatching(/^[1-9]\d*$/), '0', '-'],
            ['slow', 'stdio', 'global', 'yes', 'connecting', '0', '0', '-'],
            [
              'dead',
              'stdio',
              'global',
              'yes',
              'error',
              '0',
              '0',
              '-',
              expect.stringMatching(/command not found: no-such-program-anywhere.* → edit .*config\.json:\d+$/),
            ],
            [
              ...['off', 'stdio', 'global', 'no', 'disabled', '0', '0', '-'],
              expect.stringMatching(/^disabled by .*config\.json:\d+ → switchboard mcp enable off --scope global$/),
            ],
            [
              'web',
              'http',
              'global',
              'yes',
              'auth_required',
              '0',
              '0',
              '-',
              expect.stringMatching(/switchboard mcp login web$/),
            ],
          ]);
        }, WITHIN);
      } finally {
        web.close();
      }
    },
  );

  verifies('host:status:live', 'shows the state of the gateway, not the config', async () => {
    const testbed = configure(newTestbed(), { good: fixture('well-behaved') });
    const file = testbed.write('one.json', { mcpServers: { other: fixture('well-behaved') } });
    const gateway = await running.gateway(testbed, '--config', file);
    await running.until(testbed, (running) => statesOf(running) === 'ready');
    gateway.send(call('other__echo', { text: 'hello' }));
    const [now] = await running.until(testbed, ([one]) => one?.servers[0]?.calls === 1);
    expect(now).toMatchObject({ configFile: file, servers: [{ id: 'other', state: 'ready', calls: 1, underWay: 0 }] });
    const shown = await testbed.mcp('status');
    expect(shown.stdout).toMatch(/^gateway · .* · config .*one\.json · for test 1\nid .*\nother /);
    await gateway.stop();
    expect(await testbed.mcp('status')).toMatchObject({
      stdout: expect.stringMatching(/^id .*\ngood /),
      stderr: 'Switchboard is not running here; showing the configuration\n',
    });
  });

  verifies('host:status:detail', 'shows one server with its last error and its last connection time', async () => {
    const testbed = configure(newTestbed(), { mortal: fixture('dies-mid-call'), dead: fixture('dies-at-start') });
    const gateway = await running.gateway(testbed);
    await running.until(testbed, (running) => statesOf(running) === 'ready error');
    const before = await testbed.mcp('status', 'mortal');
    expect(before.stdout).toMatch(/\n {2}state +ready\n/);
    expect(before.stdout).toMatch(/\n {2}last connected +20\d\d-.* \(under a minute ago\)\n {2}last error +none\n/);
    gateway.send(call('mortal__die'));
    await running.until(testbed, ([one]) => one?.servers[0]?.calls === 1 && statesOf([one]) === 'ready error');
    const after = await testbed.mcp('status', 'mortal');
    expect(after.stdout).toMatch(/\n {2}last error +PROCESS_EXITED: .* \(under a minute ago\)\n/);
    // It is restarted periodically, and may be writing its output at this moment.
    const dead = async () => (await testbed.mcp('status', 'dead')).stdout;
    await expect
      .poll(dead)
      .toMatch(
        /\n {2}last connected +never\n {2}last error +\w+: .*\n(?:.*\n)*last stderr lines:\n {2}dies-at-start: API_KEY is not set\n {2}See the README\.\n/,
      );
  });
});

/** All servers of all running instances, in order. */
function statesOf(running: readonly RunningStatus[]): string {
  return running.flatMap(({ servers }) => servers.map(({ state }) => state)).join(' ');
}

/** Requires a sign-in, and names its authorization server. */
async function openServerWithSignIn(): Promise<{ readonly origin: string; close(): void }> {
  const server = createServer((request, response) => {
    const send = (document: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    if (request.url?.startsWith('/.well-known/oauth-protected-resource'))
      return send({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (request.url?.startsWith('/.well-known/'))
      return send({
        ...{ issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` },
        ...{ response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] },
      });
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    return response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
