import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { answerTo, initialized, initializeRequest, list, run, type TestHome, testHomes, toolNames } from './run-cli.ts';
import { serverFromFile, tool } from './tools-from-file.ts';

const openHome = testHomes(trackProcesses());
const GOOD = ['good__echo', 'good__add', 'good__slow'];

function setUp(servers: object): TestHome {
  const home = openHome();
  home.write('.codex/.mcp.json', { mcpServers: servers });
  return home;
}

const type = (home: TestHome, ...args: string[]) => run(args, { env: home.env(), cwd: join(home.folder, 'work') });

/** A client that disconnects as soon as it has its list. */
const talk = (home: TestHome) =>
  run(['gateway'], {
    env: home.env(),
    cwd: join(home.folder, 'work'),
    say: [initializeRequest({ capabilities: { elicitation: {} } }), initialized, list],
  });

test.each([
  ['switchboard warm', ['warm']],
  ['switchboard gateway --check', ['gateway', '--check']],
  ['switchboard mcp test', ['mcp', 'test', 'one']],
])('after %s the next client gets the tools of a server that now hangs', async (_, args) => {
  const home = openHome();
  const { command, args: own, offer } = serverFromFile(home.folder);
  home.write('.codex/.mcp.json', { mcpServers: { one: { command, args: own } } });
  offer({ tools: [tool('read')] });
  expect(await type(home, ...args)).toMatchObject({ status: 0 });
  offer({ tools: [], mute: true });
  expect(toolNames(await talk(home))).toEqual(['one__read']);
  expect(await type(home, 'mcp', 'tools', 'read')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('read'),
  });
});

test('warm exits with 4 if a server cannot start, and says which and why', async () => {
  const home = setUp({ good: fixture('well-behaved'), bad: fixture('dies-at-start') });
  const { status, stdout } = await type(home, 'warm');
  expect(status).toBe(4);
  expect(stdout).toMatch(/^bad +error /);
  expect(stdout).toContain('2 servers: 1 ready, 1 error; 3 tools');
  expect(stdout).not.toMatch(/^good/m);
  const next = await talk(home);
  expect(toolNames(next)).toEqual(GOOD);
  expect(answerTo(next, 'hello').result.instructions).toContain('Failed to start: bad (');
});

test('warm --json prints one document', async () => {
  const home = setUp({ good: fixture('well-behaved'), bad: fixture('dies-at-start') });
  const { status, stdout } = await type(home, 'warm', '--json', '--only', 'good');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    servers: [{ id: 'good', state: 'ready', tools: 3 }],
    totals: { tools: 3 },
    problems: [],
  });
});

test('a server that works again is no longer cached as failed after a check', async () => {
  const home = openHome();
  const { command, args, offer } = serverFromFile(home.folder);
  home.write('.codex/.mcp.json', { mcpServers: { one: { command, args, startup_timeout_ms: 300 } } });
  offer({ tools: [], mute: true });
  expect(await type(home, 'warm')).toMatchObject({ status: 4 });
  expect(answerTo(await talk(home), 'hello').result.instructions).toContain('Failed to start: one');
  home.write('.codex/.mcp.json', { mcpServers: { one: { command, args } } });
  offer({ tools: [tool('read')] });
  expect(await type(home, 'gateway', '--check')).toMatchObject({ status: 0 });
  expect(answerTo(await talk(home), 'hello').result.instructions).not.toContain('Failed to start');
});

test.each([
  ['switchboard warm', ['warm']],
  ['switchboard gateway --check', ['gateway', '--check']],
  ['switchboard mcp test', ['mcp', 'test', 'one']],
])('the next client does not wait for a server that failed in %s', async (_, args) => {
  const home = openHome();
  const { command, args: own, offer } = serverFromFile(home.folder);
  const entry = { command, args: own, startup_timeout_ms: 300 };
  home.write('.codex/.mcp.json', { mcpServers: { one: entry } });
  offer({ tools: [], mute: true });
  expect(await type(home, ...args)).toMatchObject({ status: 4 });
  expect(answerTo(await talk(home), 'hello').result.instructions).toContain('Failed to start: one');
});

test('a client still waits for a server that mcp test timed out too early', async () => {
  const home = openHome();
  const { command, args: own, offer } = serverFromFile(home.folder);
  home.write('.codex/.mcp.json', { mcpServers: { one: { command, args: own } } });
  offer({ tools: [], mute: true });
  expect(await type(home, 'mcp', 'test', 'one', '--timeout', '0.3')).toMatchObject({ status: 4 });
  offer({ tools: [tool('read')] });
  expect(answerTo(await talk(home), 'hello').result.instructions).not.toContain('Failed to start');
});

test('an unknown option of warm is refused', async () => {
  const home = setUp({});
  const refusal = async (...args: readonly string[]) => {
    const { status, stderr } = await type(home, 'warm', ...args);
    return { status, stderr };
  };
  const see = 'See: switchboard warm --help\n';
  expect(await refusal('--lazy')).toEqual({ status: 2, stderr: `switchboard warm does not accept "--lazy". ${see}` });
  expect(await refusal('--jsn')).toEqual({
    status: 2,
    stderr: `switchboard warm does not accept "--jsn". Did you mean --json? ${see}`,
  });
  expect(await refusal('word')).toEqual({ status: 2, stderr: `switchboard warm does not accept "word". ${see}` });
  expect(await refusal('--only')).toEqual({ status: 2, stderr: `--only needs a value. ${see}` });
});

test('an uncached slow server is cached even if its first client disconnects at once', async () => {
  // It has two seconds, which may be too little on a busy machine.
  for (let attempt = 1; ; attempt++) {
    const tools = await cachedAfterInitialize();
    if (tools.length > 0 || attempt === 5) return expect(tools).toEqual(['one__read']);
  }
});

async function cachedAfterInitialize(): Promise<readonly string[]> {
  const home = openHome();
  const mute = join(home.folder, 'mute');
  home.write('.codex/.mcp.json', { mcpServers: { one: { command: '/bin/sh', args: ['-c', IN_SHELL, 'sh', mute] } } });
  const say = [initializeRequest({ capabilities: { elicitation: {} } }), initialized];
  await run(['gateway'], { env: home.env(), cwd: join(home.folder, 'work'), say });
  writeFileSync(mute, '');
  return toolNames(await talk(home));
}

/** A server that is slow only by its own delay: a shell starts at once, while Node would need seconds. */
const IN_SHELL = `
sleep 0.2
while read -r line && [ ! -e "$1" ]; do
  id=\${line#*'"id":'}
  id=\${id%%,*}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
done
[ ! -e "$1" ] || sleep 60
`;

test('a server that was too slow for its first client is cached after a later one disconnects', async () => {
  for (let attempt = 1; ; attempt++) {
    const tools = await cachedAfterSlowStart();
    if (tools.length > 0 || attempt === 5) return expect(tools).toEqual(['one__read']);
  }
}, 120_000);

async function cachedAfterSlowStart(): Promise<readonly string[]> {
  const home = openHome();
  const mute = join(home.folder, 'mute');
  home.write('.codex/.mcp.json', { mcpServers: { one: { command: '/bin/sh', args: ['-c', IN_SHELL, 'sh', mute] } } });
  const visit = () =>
    run(['gateway'], {
      env: home.env({ WRAPPER_TOOLS_LIST_TIMEOUT_MS: '300' }),
      cwd: join(home.folder, 'work'),
      say: [initializeRequest({ capabilities: { elicitation: {} } }), initialized, list],
    });
  // The first client waits for 300 ms, and then it has two seconds.
  writeFileSync(mute, '');
  expect(toolNames(await visit())).toEqual([]);
  rmSync(mute);
  expect(answerTo(await visit(), 'hello').result.instructions).toContain('Failed to start: one');
  writeFileSync(mute, '');
  return toolNames(await talk(home));
}

test('instructions and status recommend warm for a server that was too slow', async () => {
  const home = openHome();
  const file = home.write('servers.json', { mcpServers: { one: fixture('hangs-at-initialize') } });
  const status = { jsonrpc: '2.0', id: 'status', method: 'resources/read', params: { uri: 'switchboard://status' } };
  const visit = () =>
    run(['gateway', '--config', file], {
      env: home.env({ WRAPPER_TOOLS_LIST_TIMEOUT_MS: '300' }),
      cwd: join(home.folder, 'work'),
      say: [initializeRequest(), initialized, list, status],
    });
  await visit();
  const next = await visit();
  expect(answerTo(next, 'hello').result.instructions).toContain(`run: switchboard warm --config ${file}`);
  const [server] = JSON.parse(answerTo(next, 'status').result.contents[0].text).servers;
  expect(server).toMatchObject({ state: 'connecting', next: `switchboard warm --config ${file} --only one` });
}, 120_000);

test('warm --json escapes invisible characters', async () => {
  const home = setUp({ 'a\u3164': { command: 'does-not-exist-\u202e' } });
  const { stdout } = await type(home, 'warm', '--json');
  expect(JSON.parse(stdout).servers[0].id).toBe('a\u3164');
  expect(stdout).not.toMatch(/[\u3164\u202e]/);
});
