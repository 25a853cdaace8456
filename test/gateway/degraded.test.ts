import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness } from './harness.ts';
import { initialized, initializeRequest, list, run, testHomes } from './run-cli.ts';
import { statusOf, untilState } from './server-status.ts';

/** A server that runs but cannot list its tools. */
const { openGateway, processes } = gatewayHarness();
const openHome = testHomes(processes);
const ALWAYS = '1000000';
const REASON = 'tools/list failed: getaddrinfo ENOTFOUND api.example.com';

describe('a failed list', () => {
  test.each([
    ['tools/list', 'notifications/tools/list_changed', { tools: [expect.objectContaining({ name: 'bad__echo' })] }],
    ['prompts/list', 'notifications/prompts/list_changed', { prompts: [{ name: 'bad__greet' }] }],
    [
      'resources/list',
      'notifications/resources/list_changed',
      { resources: expect.arrayContaining([{ uri: 'file:///a', name: 'a' }]) },
    ],
  ])('is requested again, and the client is notified: %s', async (method, change, listed) => {
    const { connect, gateway } = openGateway({ bad: fixture('fails-at-list', '1', method) });
    const client = await connect();
    expect(JSON.stringify((await client.request(method)).result)).not.toMatch(/bad__|file:/);
    await client.waitFor((message) => message.method === change);
    expect((await client.request(method)).result).toEqual(listed);
    await untilState(gateway, 'bad', 'ready');
  });

  test('is requested at once when a tool of that server is called', async () => {
    const { connect } = openGateway({ bad: fixture('fails-at-list', '1'), good: fixture('well-behaved') });
    const client = await connect();
    expect((await client.toolNames()).filter((name) => name.startsWith('bad__'))).toEqual([]);
    expect((await client.call('bad__echo', { text: 'hi' })).result).toEqual({
      content: [{ type: 'text', text: 'hi' }],
    });
  });

  test('is requested once more if it fails while a call waits for it', async () => {
    const { connect, gateway } = openGateway({ bad: fixture('fails-at-list', '1') });
    const client = await connect();
    const answered = client.call('bad__echo', { text: 'hi' });
    expect(statusOf(gateway, 'bad')).toMatchObject({ state: 'connecting' });
    expect((await answered).result).toEqual({ content: [{ type: 'text', text: 'hi' }] });
  });

  test('is given as the reason when a call to one of its tools fails', async () => {
    const { connect } = openGateway({ bad: fixture('fails-at-list', ALWAYS) });
    const client = await connect();
    await client.toolNames();
    const { error } = await client.call('bad__echo', { text: 'hi' });
    expect(error?.message).toContain('Unknown tool: bad__echo. Its server bad is degraded: ');
    expect(error?.message).toContain(REASON);
  });
});

describe('the server is degraded', () => {
  test('in the status resource, with the reason and the next command', async () => {
    const { connect, gateway } = openGateway({ bad: fixture('fails-at-list', ALWAYS) });
    const client = await connect();
    await client.toolNames();
    await untilState(gateway, 'bad', 'degraded');
    const { result } = await client.request('resources/read', { uri: 'switchboard://status' });
    expect(JSON.parse(result.contents[0].text).servers).toEqual([
      expect.objectContaining({ id: 'bad', state: 'degraded', reason: REASON, next: 'switchboard mcp test bad' }),
    ]);
  });

  test('in --check, which exits with 4', async () => {
    const home = openHome();
    const file = home.write('servers.json', {
      mcpServers: { bad: fixture('fails-at-list', ALWAYS), good: fixture('well-behaved') },
    });
    const result = await run(['gateway', '--config', file, '--check'], { env: home.env(), cwd: home.folder });
    expect(result.stdout).toMatch(/^bad +degraded +0 tools/m);
    expect(result.stdout.split('\n').filter((line) => line.includes(REASON))).toHaveLength(1);
    expect(result.stdout).toMatch(/^good +ready +3 tools/m);
    expect(result.status).toBe(4);
  });

  test('in mcp test, which also exits with 4', async () => {
    const home = openHome();
    const file = home.write('servers.json', {
      mcpServers: { bad: fixture('fails-at-list', ALWAYS), worse: fixture('fails-at-list', ALWAYS, 'prompts/list') },
    });
    const test = (id: string) => run(['mcp', 'test', id, '--config', file], { env: home.env(), cwd: home.folder });
    const [tools, prompts] = await Promise.all([test('bad'), test('worse')]);
    expect(tools.stdout).toMatch(/✗ tools .*it is degraded: tools\/list failed: getaddrinfo ENOTFOUND/);
    expect(prompts.stdout).toMatch(/✗ lists .*it is degraded: prompts\/list failed: getaddrinfo ENOTFOUND/);
    expect([tools.status, prompts.status]).toEqual([4, 4]);
  });

  test.each([
    ['mcp tools', ['mcp', 'tools']],
    ['mcp tools with a pattern', ['mcp', 'tools', 'bad']],
    ['mcp tool', ['mcp', 'tool', 'bad.echo']],
    ['mcp call', ['mcp', 'call', 'bad.echo', 'text=hi']],
  ])('in %s, which exits with 4 and names the next command', async (_, args) => {
    const home = openHome();
    home.write('.codex/.mcp.json', { mcpServers: { bad: fixture('fails-at-list', ALWAYS) } });
    const { status, stderr } = await run(args, { env: home.env(), cwd: home.folder });
    expect(status).toBe(4);
    expect(stderr).toContain(`bad: it is degraded: ${REASON} `);
    expect(stderr).toContain('Run: switchboard mcp test bad\n');
  });

  test.each([
    ['prompts/list', ['mcp', 'prompts', 'list']],
    ['resources/list', ['mcp', 'resources', 'list']],
  ])('in the command that requests %s', async (method, args) => {
    const home = openHome();
    home.write('.codex/.mcp.json', { mcpServers: { bad: fixture('fails-at-list', ALWAYS, method) } });
    const { status, stderr } = await run(args, { env: home.env(), cwd: home.folder });
    expect(status).toBe(4);
    expect(stderr).toContain(`bad: it is degraded: ${method} failed: `);
  });

  test('in the instructions of the next gateway', async () => {
    const home = openHome();
    home.write('.codex/.mcp.json', { mcpServers: { bad: fixture('fails-at-list', ALWAYS) } });
    await run(['warm'], { env: home.env(), cwd: home.folder });
    const { stdout } = await run(['gateway'], {
      env: home.env(),
      cwd: home.folder,
      say: [initializeRequest(), initialized, list],
    });
    expect(stdout).toContain(`Degraded: bad (${REASON})`);
    expect(stdout).not.toContain('Failed to start');
  });

  test('in the summary line', async () => {
    const home = openHome();
    const file = home.write('servers.json', { mcpServers: { bad: fixture('fails-at-list', ALWAYS) } });
    const say = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    const { stderr } = await run(['gateway', '--config', file], { env: home.env(), cwd: home.folder, say });
    expect(stderr).toBe(`Started 0 child server(s); degraded: bad (${REASON})\n`);
  });

  test('not because closing the gateway interrupts its lists', async () => {
    const { connect, gateway } = openGateway({ slow: fixture('fails-at-list', '0', 'tools/list', '60000') });
    const client = await connect();
    await client.request('tools/list');
    await gateway.close();
    expect(statusOf(gateway, 'slow')).toMatchObject({ problems: [] });
  });

  test('not because it declares resources but has no templates', async () => {
    const { connect, gateway } = openGateway({ fine: fixture('fails-at-list', '0') });
    const client = await connect();
    await client.request('resources/templates/list');
    expect(statusOf(gateway, 'fine')).toMatchObject({ state: 'ready', problems: [] });
  });
});

test('every command counts the offered tools, and hidden ones separately', async () => {
  const home = openHome();
  const entry = { ...fixture('well-behaved'), enabled_tools: ['echo'] };
  home.write('own/config.json', { version: 1, mcp: { servers: { one: { transport: 'stdio', ...entry } } } });
  const shown = async (...args: string[]) => (await run(args, { env: home.env(), cwd: home.folder })).stdout;
  expect(await shown('gateway', '--check')).toMatch(/^one +ready +1 tool \(2 hidden\) /m);
  expect(await shown('mcp', 'test', 'one')).toMatch(/✓ tools .* 1 tool \(2 hidden\)$/m);
  const { servers } = JSON.parse(await shown('gateway', '--check', '--json'));
  expect(servers).toEqual([expect.objectContaining({ tools: 1, hiddenTools: 2 })]);
});
