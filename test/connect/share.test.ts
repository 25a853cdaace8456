import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { switchboard } from '../interop/programs.ts';
import { GLOBAL, ownConfig, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

function open(): Testbed {
  const testbed = newTestbed();
  const entry = { transport: 'stdio', ...fixture('well-behaved') };
  testbed.write(GLOBAL, ownConfig({ one: entry, two: entry }));
  const record = { imported: ['one', 'gone'], shared: [], seen: ['one'] };
  testbed.write('own/clients.json', { version: 1, clients: { codex: record } });
  return testbed;
}

async function views(testbed: Testbed, ...args: readonly string[]): Promise<unknown> {
  return JSON.parse((await testbed.run(['share', ...args, '--json'])).stdout).clients;
}

describe('switchboard share', () => {
  test('lists, widens and narrows the servers of a client', async () => {
    const testbed = open();
    const codex = (servers: readonly string[]) => ({ client: 'codex', seesAll: false, servers });
    expect(await views(testbed)).toEqual([codex(['one'])]);
    expect(await views(testbed, 'two', 'codex')).toEqual([codex(['one', 'two'])]);
    expect(await views(testbed, 'one', '--remove')).toEqual([codex(['two'])]);
    expect(await views(testbed, 'two', 'cursor', '--remove')).toEqual([
      codex(['two']),
      { client: 'cursor', seesAll: false, servers: ['one'] },
    ]);
    expect((await testbed.run(['share'])).stdout).toContain(
      'Cursor sees 1 server.\n  one\nSome tools are not known yet. To count them, run: switchboard warm\n',
    );
  });

  test('lists a connected client that sees all servers, without those that are disabled', async () => {
    const testbed = open();
    testbed.write('.codex/config.toml', '');
    await testbed.run(['connect', 'codex', '--all-servers', '--yes']);
    await testbed.run(['warm']);
    expect(await testbed.run(['share'])).toEqual({
      ...{ status: 0, stderr: '' },
      stdout: expect.stringMatching(/^Codex sees all 2 servers, with 6 tools \(about [\d,]+ tokens\)\.\n$/),
    });
    await testbed.run(['disable', 'two']);
    expect(await views(testbed)).toEqual([{ client: 'codex', seesAll: true, servers: ['one'] }]);
  });

  test.each([
    [['twoo'], 'two'],
    [['two', 'codexx'], 'Did you mean codex?'],
    [['--remove'], '--remove needs the name of a server'],
  ])('%j is an error', async (args, message) => {
    const { status, stderr } = await open().run(['share', ...args]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('connect says before its question which servers the client will see', async () => {
    const testbed = open();
    testbed.write('.codex/config.toml', '');
    expect((await testbed.run(['connect', 'codex', '--dry-run'])).stdout).toContain(
      '\nCodex will see 1 of 2 servers. To give it access to all of them, add --all-servers.\n',
    );
    expect((await testbed.run(['connect', 'codex', '--all-servers', '--dry-run'])).stdout).toContain(
      '\nCodex will also see: two\n',
    );
  });

  test('connect --all-servers widens it to everything', async () => {
    const testbed = open();
    testbed.write('.codex/config.toml', '');
    await testbed.run(['connect', 'codex', '--all-servers', '--yes']);
    expect(testbed.json('own/clients.json')).toEqual({ version: 1, clients: {} });
  });
});

describe('gateway --client', () => {
  test('shows a client its servers only, and follows share', async () => {
    const testbed = open();
    const { command, args } = switchboard('gateway', '--client', 'codex');
    const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') });
    const gateway = spawn(command, args, { env, cwd: testbed.path('project'), stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = createInterface({ input: gateway.stdout });
    let id = 0;
    const request = async (method: string, params: object = {}) => {
      const own = ++id;
      gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: own, method, params })}\n`);
      for await (const [line] of onLines(lines)) {
        const message = JSON.parse(line);
        if (message.id === own) return message.result;
      }
    };
    const servers = async () => {
      const { tools } = await request('tools/list');
      return [...new Set(tools.map(({ name }: { name: string }) => name.split('__')[0]))];
    };
    const clientInfo = { name: 'test', version: '1' };
    await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    expect(await servers()).toEqual(['one']);
    await testbed.run(['share', 'two', 'codex']);
    await expect.poll(servers, { timeout: 20_000 }).toEqual(['one', 'two']);
    await testbed.run(['share', 'one', 'codex', '--remove']);
    await expect.poll(servers, { timeout: 20_000 }).toEqual(['two']);
    gateway.stdin.end();
    await once(gateway, 'exit');
  });

  test('shows all servers to a client without a record', async () => {
    const { stdout } = await open().run(['gateway', '--client', 'zed', '--check', '--json']);
    expect(JSON.parse(stdout).servers.map(({ id }: { id: string }) => id)).toEqual(['one', 'two']);
  });
});

async function* onLines(lines: ReturnType<typeof createInterface>): AsyncGenerator<[string]> {
  for (;;) {
    const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(30_000) });
    yield [String(line)];
  }
}

test('add names the connected clients that do not see the new server, and share shows it to them', async () => {
  const testbed = open();
  testbed.write('.codex/config.toml', '');
  await testbed.run(['connect', 'codex', '--yes']);
  const added = await testbed.mcp('add', 'fresh', 'https://example.com/mcp');
  expect(added.stderr).toBe(
    'Next: switchboard mcp test fresh\nNext: switchboard share fresh (Codex does not see it yet)\n',
  );
  const { stdout } = await testbed.mcp('add', 'more', 'https://example.com/mcp', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ hiddenFrom: ['codex'], share: 'switchboard share more' });
  await testbed.run(['share', 'fresh']);
  const again = await testbed.mcp('add', 'fresh', 'https://example.com/mcp', '--replace');
  expect(again.stderr).not.toContain('share');
});
