import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openHttpFixture } from '../fixtures/http/paths.ts';
import { fixture } from '../fixtures/paths.ts';
import { switchboard } from '../interop/programs.ts';
import { GLOBAL, ownConfig, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';

/**
 * No downloads, no telemetry: every process of Switchboard connects to the configured servers and to nothing else. A
 * module that Node loads first records what each process does.
 */
const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const HOOK = pathToFileURL(join(import.meta.dirname, 'fixtures/records-connections.mjs')).href;

interface Recorded {
  readonly testbed: Testbed;
  readonly env: Readonly<Record<string, string>>;
  /** The different lines of the record. */
  readonly lines: () => readonly string[];
}

function open(servers: Readonly<Record<string, unknown>>): Recorded {
  const testbed = newTestbed();
  testbed.write(GLOBAL, ownConfig(servers));
  testbed.write('.cursor/mcp.json', { mcpServers: {} });
  const file = testbed.path('record.txt');
  const env = { NODE_OPTIONS: `--import=${HOOK}`, TEST_RECORD: file, CODEX_HOME: testbed.path('.codex') };
  const lines = () => (existsSync(file) ? [...new Set(readFileSync(file, 'utf8').trim().split('\n'))].sort() : []);
  return { testbed, env, lines };
}

const local = { transport: 'stdio', ...fixture('well-behaved') };
/** The guard, which ends servers if Switchboard is killed, and the server itself. */
const PROGRAMS = ['program /bin/sh', `program ${process.execPath}`];

describe('without HTTP servers', () => {
  test.each([
    [['--version']],
    [['--help']],
    [['list']],
    [['status']],
    [['add', 'other', 'https://example.com/mcp']],
    [['import', '--all']],
    [['connect', 'cursor', '--yes']],
    [['disconnect', 'cursor', '--yes']],
    [['share']],
    [['secret', 'list']],
    [['uninstall', '--dry-run']],
    [['completion', 'bash']],
  ])('%j connects to nothing and starts nothing', async (args) => {
    const { testbed, env, lines } = open({ local });
    expect((await testbed.run(args, { env })).status).toBe(0);
    expect(lines()).toEqual([]);
  });

  test.each([
    [['warm']],
    [['tools']],
    [['call', 'local.add', 'a=1', 'b=2']],
    [['test', '--all']],
    [['gateway', '--check']],
  ])('%j starts only the server', async (args) => {
    const { testbed, env, lines } = open({ local });
    expect((await testbed.run(args, { env })).status).toBe(0);
    expect(lines()).toEqual(PROGRAMS);
  });

  test('a Codex server starts and connects to nothing until it is used', async () => {
    const { testbed, env, lines } = open({});
    await converse(testbed, env, ['codex'], ['tools/list', 'prompts/list', 'resources/list']);
    expect(lines()).toEqual([]);
  });
});

describe('with an HTTP server', () => {
  test('a gateway and the commands connect to that server only', async () => {
    const server = await openHttpFixture('well-behaved', { env: processes.env() });
    try {
      const { host } = new URL(server.url);
      const { testbed, env, lines } = open({ local, web: { transport: 'http', url: server.url } });
      await converse(testbed, env, ['gateway'], ['tools/list', 'resources/list', 'prompts/list']);
      for (const args of [['warm'], ['tools'], ['test', '--all'], ['mcp', 'status']])
        expect((await testbed.run(args, { env })).status).toBe(0);
      expect(lines()).toEqual([`connect ${host}`, ...PROGRAMS]);
    } finally {
      await server.close();
    }
  });
});

/** Runs a server, sends it `initialize` and these requests, and disconnects after the last answer. */
async function converse(
  testbed: Testbed,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  methods: readonly string[],
): Promise<void> {
  const program = switchboard(...args);
  const own = { HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own'), ...env };
  const started = spawn(program.command, [...program.args], {
    cwd: testbed.path('project'),
    env: processes.env(own),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: started.stdout });
  const send = (message: object) => started.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  send({ method: 'notifications/initialized' });
  for (const [index, method] of methods.entries()) send({ id: index + 1, method, params: {} });
  const missing = new Set([...methods.keys(), methods.length]);
  for await (const line of lines) {
    missing.delete(JSON.parse(line).id);
    if (missing.size === 0) started.stdin.end();
  }
  if (started.exitCode === null) await once(started, 'exit');
}
