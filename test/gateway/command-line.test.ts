import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { answerTo, call, initialized, initializeRequest, list, run, testHomes, toolNames } from './run-cli.ts';

const processes = trackProcesses();
const openHome = testHomes(processes);
const LONG = 120_000;
const well = fixture('well-behaved');
const talk = [initializeRequest(), initialized, list];

describe('the origin of servers', () => {
  verifies(
    ['config:source:codex-home', 'gateway:cli:config-mode', 'gateway:aggregate:one-endpoint', 'gateway:wire:ndjson'],
    'without arguments and with a pipe on stdin, the servers of ~/.codex/.mcp.json are served',
    async () => {
      const home = openHome();
      home.write('.codex/.mcp.json', { mcpServers: { one: well, two: well } });
      const result = await run([], {
        env: home.env(),
        cwd: join(home.folder, 'work'),
        say: [...talk, call('two__echo', { text: 'hi' })],
      });
      expect(result.status).toBe(0);
      expect(toolNames(result)).toEqual(expect.arrayContaining(['one__echo', 'two__echo']));
      expect(answerTo(result, 'call').result).toEqual({ content: [{ type: 'text', text: 'hi' }] });
    },
    LONG,
  );

  verifies(
    ['config:source:explicit-missing'],
    'a named file that does not exist ends the gateway with status 7',
    async () => {
      const home = openHome();
      const env = home.env({ CODEX_MCP_WRAPPER_CONFIG: '/nowhere/x.json' });
      const result = await run([], { env, cwd: home.folder, say: talk });
      expect(result).toMatchObject({ status: 7, stdout: '' });
      expect(result.stderr).toContain('/nowhere/x.json');
      expect(
        (await run(['gateway', '--config', 'no.json'], { env: home.env(), cwd: home.folder, say: talk })).status,
      ).toBe(7);
    },
    LONG,
  );

  verifies(
    ['gateway:aggregate:only-named'],
    'MCP_WRAPPER_SERVER_NAME and --only start only that server',
    async () => {
      const home = openHome();
      const file = home.write('servers.json', { servers: { one: well, two: well } });
      const cwd = home.folder;
      const env = home.env({ MCP_WRAPPER_SERVER_NAME: 'two', WRAPPER_SUMMARY: '1' });
      const named = await run(['gateway', '--config', file], { env, cwd, say: talk });
      expect(toolNames(named).every((name) => name.startsWith('two__'))).toBe(true);
      expect(named.stderr).toBe('Started 1 child server(s): two\n');
      const only = await run(['gateway', '--config', file, '--only', 'one'], { env: home.env(), cwd, say: talk });
      expect(toolNames(only).every((name) => name.startsWith('one__'))).toBe(true);
      const unknown = await run(['gateway', '--config', file, '--only', 'oen'], { env: home.env(), cwd, say: [] });
      expect(unknown).toMatchObject({ status: 2, stdout: '' });
      expect(unknown.stderr).toMatch(/no server oen \(configured: one, two/);
    },
    LONG,
  );

  verifies(
    ['config:source:untrusted', 'config:source:trusted'],
    'project servers start only after switchboard trust, or with SWITCHBOARD_TRUST_PROJECT=1',
    async () => {
      const home = openHome();
      home.write('work/.mcp.json', { mcpServers: { mine: well } });
      const cwd = join(home.folder, 'work');
      const before = await run(['gateway'], { env: home.env(), cwd, say: talk });
      expect(toolNames(before)).toEqual([]);
      expect(before.stderr).toBe('Started 0 child server(s); untrusted: mine (run: switchboard trust)\n');
      expect(answerTo(before, 'hello').result.instructions).toContain('mine');
      const forced = await run(['gateway'], { env: home.env({ SWITCHBOARD_TRUST_PROJECT: '1' }), cwd, say: talk });
      expect(toolNames(forced)).toContain('mine__echo');
      const trusted = await run(['trust', '--yes'], { env: home.env(), cwd });
      expect(trusted).toMatchObject({ status: 0, stderr: '' });
      expect(trusted.stdout).toContain(well.args[0]);
      expect(toolNames(await run(['gateway'], { env: home.env(), cwd, say: talk }))).toContain('mine__echo');
      expect((await run(['untrust'], { env: home.env(), cwd })).status).toBe(0);
      expect(toolNames(await run(['gateway'], { env: home.env(), cwd, say: talk }))).toEqual([]);
    },
    LONG,
  );

  test(
    'an unreachable HTTP server is reported, and the others work',
    async () => {
      const home = openHome();
      const file = home.write('servers.json', { mcpServers: { far: { url: 'https://127.0.0.1:9/mcp' }, near: well } });
      const result = await run(['gateway', '--config', file], { env: home.env(), cwd: home.folder, say: talk });
      expect(toolNames(result)).toContain('near__echo');
      expect(result.stderr).toBe(
        'Started 1 child server(s): near; failed: far (127.0.0.1:9: nothing answers at this address (ECONNREFUSED))\n',
      );
    },
    LONG,
  );

  test(
    'a gateway in its own config is skipped, and indirect recursion is stopped',
    async () => {
      const home = openHome();
      const file = home.write('servers.json', {
        mcpServers: { self: { command: 'switchboard', args: ['gateway'] }, near: well },
      });
      const result = await run(['gateway', '--config', file], { env: home.env(), cwd: home.folder, say: talk });
      expect(toolNames(result)).toContain('near__echo');
      const deep = await run(['gateway', '--config', file], {
        env: home.env({ SWITCHBOARD_DEPTH: '9' }),
        cwd: home.folder,
        say: talk,
      });
      expect(deep.status).toBe(7);
      expect(deep.stderr).toContain('Remove or disable that entry');
    },
    LONG,
  );

  test.each([
    ['an unknown option', ['gateway', '--confg', 'x'], /does not accept "--confg"/],
    ['an option without its value', ['gateway', '--config'], /--config needs a value/],
    ['a prefix that is neither on nor off', ['gateway', '--prefix', 'maybe'], /--prefix must be on or off/],
    ['no command after --', ['--'], /Give the command/],
  ])(
    '%s is refused with status 2',
    async (_, args, message) => {
      const home = openHome();
      const result = await run(args, { env: home.env(), cwd: home.folder, say: talk });
      expect(result).toMatchObject({ status: 2, stdout: '' });
      expect(result.stderr).toMatch(message);
    },
    LONG,
  );
});

describe('a single server', () => {
  verifies(
    ['gateway:cli:single-server', 'gateway:names:single', 'gateway:environment:single-inherits'],
    'switchboard -- <command> serves that command with its own names, the whole environment and no config',
    async () => {
      const home = openHome();
      home.write('.codex/.mcp.json', { mcpServers: { other: well } });
      const script = `process.stdin.on('data', (chunk) => { for (const line of String(chunk).trim().split('\\n')) { const { id, method } = JSON.parse(line); if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'own', version: '9' }, vendor: 1 } : { tools: [{ name: 'odd name ' + process.env.MY_SECRET, inputSchema: null }] } })); } });`;
      const result = await run(['--', process.execPath, '-e', script], {
        env: home.env({ MY_SECRET: 'shown' }),
        cwd: home.folder,
        say: talk,
      });
      expect(answerTo(result, 'hello').result).toEqual({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'own', version: '9' },
        vendor: 1,
      });
      expect(answerTo(result, 'list').result).toEqual({ tools: [{ name: 'odd name shown', inputSchema: null }] });
      expect(result.stderr).toMatch(/^Started 1 child server\(s\): node\n$/);
    },
    LONG,
  );

  test(
    'a command that does not exist is a handshake error',
    async () => {
      const home = openHome();
      const result = await run(['--', 'no-such-command'], {
        env: home.env(),
        cwd: home.folder,
        say: [initializeRequest()],
      });
      expect(answerTo(result, 'hello').error).toMatchObject({
        message: expect.stringMatching(/^Spawn error: command not found: no-such-command\. Check PATH/),
        data: { kind: 'spawn_error', retryable: false, serverName: 'no-such-command' },
      });
    },
    LONG,
  );
});

describe('output on stderr and stdout', () => {
  verifies(
    ['gateway:log:summary', 'gateway:log:summary-off', 'gateway:log:stdout'],
    'one summary line goes to stderr, unless it is disabled',
    async () => {
      const home = openHome();
      const file = home.write('servers.json', {
        mcpServers: { brave: well, broken: { command: 'no-such-command' }, off: { ...well, disabled: true } },
      });
      const cwd = home.folder;
      const on = await run(['gateway', '--config', file], { env: home.env(), cwd, say: talk });
      expect(on.stderr).toMatch(
        /^Started 1 child server\(s\): brave; failed: broken \(Spawn error: command not found: no-such-command.*\)\n$/,
      );
      expect(on.messages.length).toBeGreaterThan(0);
      for (const off of [{ WRAPPER_SUMMARY: '0' }, { WRAPPER_NO_SUMMARY: '1' }]) {
        expect((await run(['gateway', '--config', file], { env: home.env(off), cwd, say: talk })).stderr).toBe('');
      }
    },
    LONG,
  );

  verifies(
    ['gateway:log:debug', 'compat:console:line', 'compat:console:codex-event', 'compat:console:truncated'],
    'only DEBUG=1 writes states, notifications and original errors to stderr',
    async () => {
      const home = openHome();
      const script = `const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message })); process.stdin.on('data', (chunk) => { for (const line of String(chunk).trim().split('\\n')) { const { id, method } = JSON.parse(line); if (method === 'initialize') say({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } }); if (method === 'tools/list') say({ id, result: { tools: [{ name: 't', inputSchema: { type: 'object' } }] } }); if (method === 'tools/call') { say({ method: 'codex/event', params: { _meta: { requestId: id }, id: '', msg: { type: 'session_configured', model: 'm'.repeat(900) } } }); say({ id, error: { code: -32603, message: 'broke', data: { why: 'original-detail' } } }); } } });`;
      const file = home.write('servers.json', {
        mcpServers: { x: { command: process.execPath, args: ['-e', script] } },
      });
      const say = [...talk, call('x__t')];
      const debug = await run(['gateway', '--config', file], { env: home.env({ DEBUG: '1' }), cwd: home.folder, say });
      expect(debug.stderr).toContain('[switchboard] x: ready (pid ');
      expect(debug.stderr).toMatch(/^\[mcp codex\/event\] x: session_configured: m{50,200}…$/m);
      expect(debug.stderr).toContain('original-detail');
      const event = debug.messages.find(({ method }) => method === 'codex/event');
      expect(event?.params?.['_meta']).toEqual({ requestId: 'call' });
      const quiet = await run(['gateway', '--config', file], {
        env: home.env({ WRAPPER_SUMMARY: '0' }),
        cwd: home.folder,
        say,
      });
      expect(quiet.stderr).toBe('');
    },
    LONG,
  );

  test(
    '--check prints one line per server with the next command, and its status says whether all work',
    async () => {
      const home = openHome();
      const good = home.write('good.json', { mcpServers: { one: well, off: { ...well, enabled: false } } });
      const fine = await run(['gateway', '--check', '--config', good], { env: home.env(), cwd: home.folder });
      expect(fine).toMatchObject({ status: 0, stderr: '' });
      expect(fine.stdout).toMatch(/^one +ready +\d+ tools +.*good\.json:3\noff +disabled/);
      const bad = home.write('bad.json', {
        mcpServers: { one: well, dead: fixture('dies-at-start'), typo: { comand: 'x' } },
      });
      const broken = await run(['gateway', '--check', '--config', bad], { env: home.env(), cwd: home.folder });
      expect(broken.status).toBe(4);
      expect(broken.stdout).toContain(`next: switchboard mcp test --config ${bad} dead`);
      const json = await run(['gateway', '--check', '--json', '--config', bad], { env: home.env(), cwd: home.folder });
      expect(json.status).toBe(4);
      expect(
        JSON.parse(json.stdout).servers.map(({ id, state }: { id: string; state: string }) => [id, state]),
      ).toEqual([
        ['one', 'ready'],
        ['dead', 'error'],
        ['typo', 'error'],
      ]);
    },
    LONG,
  );
});

verifies(
  ['gateway:wire:content-length-client'],
  'a client that starts with a Content-Length header is answered in that framing',
  async () => {
    const home = openHome();
    const file = home.write('servers.json', { mcpServers: { one: well } });
    const frame = (message: unknown) => {
      const body = JSON.stringify(message);
      return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    };
    const { stdout } = await run(['gateway', '--config', file], {
      env: home.env({ WRAPPER_SUMMARY: '0' }),
      cwd: home.folder,
      say: [[initializeRequest(), initialized, list].map(frame).join('')],
      awaits: ['hello', 'list'],
    });
    const bodies = [...stdout.matchAll(/Content-Length: (\d+)\r\n\r\n/g)].map((match) => {
      const start = (match.index ?? 0) + match[0].length;
      return JSON.parse(
        Buffer.from(stdout)
          .subarray(start, start + Number(match[1]))
          .toString(),
      );
    });
    expect(bodies.map(({ id }) => id)).toEqual(['hello', 'list']);
    expect(bodies[1].result.tools.map(({ name }: { name: string }) => name)).toContain('one__echo');
  },
  LONG,
);
