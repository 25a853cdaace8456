import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../src/schema/estimate-tokens.ts';
import { fixture } from '../fixtures/paths.ts';
import { officialServer, switchboard } from '../interop/programs.ts';
import { openSdkClient } from '../interop/sdk-client.ts';
import { GLOBAL, ownConfig, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const encoder = new Tiktoken(o200k);
/** How far an estimate may be off. */
const TOLERANCE = 0.15;

/** Writes what an earlier run has seen of these servers. */
function withKnownTools(counts: Readonly<Record<string, number>>): Testbed {
  const testbed = newTestbed();
  const servers = Object.entries(counts).map(([id, count]) => {
    const tools = Array.from({ length: count }, (_, index) => ({ name: `tool_${index}`, keys: [] }));
    return [id, { tools, tokens: count * 123 }];
  });
  const entry = { transport: 'stdio', command: 'node' };
  const ids = ['new', ...Object.keys(counts)];
  testbed.write(GLOBAL, ownConfig(Object.fromEntries(ids.map((id) => [id, entry]))));
  testbed.write('own/names.json', { version: 1, servers: Object.fromEntries(servers) });
  return testbed;
}

describe('the estimate of tokens', () => {
  test.each([
    ['server-everything', officialServer('everything')],
    ['server-filesystem', officialServer('filesystem', import.meta.dirname)],
    ['switchboard codex', switchboard('codex', '--tools', 'full')],
  ])('is within 15 %% of o200k for %s', async (_, program) => {
    await using client = await openSdkClient('version 2', { ...program, env: processes.env() });
    const { tools } = await client.sdk.listTools();
    expect(tools.length).toBeGreaterThan(5);
    const shown = tools.map(({ name: tool, description, inputSchema }) =>
      JSON.stringify({ name: tool, description, inputSchema }),
    );
    const exact = shown.reduce((sum, json) => sum + encoder.encode(json, 'all').length, 0);
    const estimated = tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)), 0);
    expect(Math.abs(estimated / exact - 1)).toBeLessThan(TOLERANCE);
  });
});

describe('connect', () => {
  verifies('connect:tools:counts', 'prints the tools and estimated tokens of the client', async () => {
    const testbed = withKnownTools({ one: 7, two: 3 });
    const { stdout } = await testbed.run(['connect', 'cursor', '--yes']);
    expect(stdout).toContain(
      'Connected Cursor. It sees 3 servers, with 10 tools (about 1,200 tokens). The tools of 1 server are not known yet.',
    );
    const { clients } = JSON.parse((await testbed.run(['connect', 'cursor', '--yes', '--json'])).stdout);
    expect(clients).toMatchObject([
      { client: 'cursor', sees: { servers: 3, unknownServers: 1, tools: 10, estimatedTokens: 1230 } },
    ]);
  });

  test.each([[['warm']], [['gateway', '--check']]])('knows the tools after switchboard %j', async (args) => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ one: { transport: 'stdio', ...fixture('well-behaved') } }));
    expect((await testbed.run(args)).status).toBe(0);
    const { stdout } = await testbed.run(['connect', 'cursor', '--yes']);
    expect(stdout).toMatch(
      /It sees 1 server, with [1-9]\d* tools? \(about [\d,]+ tokens\)\.\n\nRestart Cursor to use Switchboard\./,
    );
  });

  test.each([
    [99, false],
    [100, true],
  ])('with %i tools, warns that Codex hides them: %s', async (count, warns) => {
    const testbed = withKnownTools({ many: count });
    testbed.write('.codex/config.toml', '');
    const { stdout } = await testbed.run(['connect', 'codex', '--yes']);
    expect(stdout).toContain(`It sees 2 servers, with ${count} tools (about 12,000 tokens).`);
    expect(stdout.includes('With 100 tools or more, Codex hides them behind its own search')).toBe(warns);
  });
});

describe('import', () => {
  const config = (ids: readonly string[]) =>
    ids.map((id) => `[mcp_servers.${id}]\ncommand = "node"\nargs = ["${id}.js"]\n`).join('\n');

  test('prints the tools of each client, and warns like connect', async () => {
    const testbed = withKnownTools({ many: 120 });
    testbed.write(GLOBAL, ownConfig({}));
    testbed.write('.codex/config.toml', config(['many']));
    testbed.write('.cursor/mcp.json', { mcpServers: { other: { command: 'node', args: ['other.js'] } } });
    const { stdout } = await testbed.run(['import', '--all']);
    expect(stdout).toContain(
      '\nCodex will see 1 server once connected, with 120 tools (about 15,000 tokens). With 100 tools or more, Codex',
    );
    expect(stdout).toContain(
      '\nCursor will see 1 server once connected.\nSome tools are not known yet. To count them, run: switchboard warm\n',
    );
    testbed.write('.cursor/mcp.json', { mcpServers: { more: { command: 'node', args: ['more.js'] } } });
    await testbed.run(['connect', 'cursor', '--yes']);
    expect((await testbed.run(['import', '--all'])).stdout).toContain('\nCursor sees 2 servers.\n');
  });

  test('has the same numbers in its document, and none before anything is imported', async () => {
    const testbed = withKnownTools({ many: 120 });
    testbed.write(GLOBAL, ownConfig({}));
    testbed.write('.codex/config.toml', config(['many', 'more']));
    const clients = async (...args: readonly string[]) =>
      JSON.parse((await testbed.run(['import', '--all', '--json', ...args])).stdout).clients;
    expect(await clients('--dry-run')).toEqual([]);
    expect(await clients()).toEqual([
      { client: 'codex', sees: { servers: 2, unknownServers: 1, tools: 120, estimatedTokens: 14_760 } },
    ]);
  });
});
