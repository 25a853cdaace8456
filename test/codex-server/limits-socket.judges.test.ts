import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { initialized, initializeRequest } from '../gateway/run-cli.ts';
import { switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedTestbed, openLimitedTestbed, scriptPrompt } from './limits-testbed.ts';
import { FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 90_000 });

const processes = trackProcesses();

/** Writes a file to any given path. It runs outside every sandbox. */
const SERVER = `
  const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  const capabilities = { tools: {} };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') send(id, { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'w', version: '1' } });
    else if (method === 'tools/list') send(id, { tools: [{ name: 'write', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') {
      require('node:fs').writeFileSync(params.arguments.file, '');
      send(id, { content: [] });
    } else if (id !== undefined) send(id, {});
  });`;

/** Attaches like a command does, and calls a tool. */
const ATTACH_AND_CALL_SCRIPT = `
  const { readdirSync, writeFileSync } = require('node:fs');
  const [folder, file] = process.argv.slice(2);
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.sock'))) {
    const socket = require('node:net').connect(folder + '/' + name);
    const say = (message) => socket.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    socket.on('error', ({ code }) => console.log(code));
    require('node:readline').createInterface({ input: socket }).on('line', (line) => {
      const { id, error } = JSON.parse(line);
      const proof = error?.data?.proof;
      console.log(id, error?.message ?? 'done');
      if (proof === undefined) return;
      try {
        writeFileSync(folder + '/' + proof, '', { flag: 'wx' });
      } catch ({ code }) {
        console.log('not written', code);
      }
      say({ id: 1, method: 'mcp.attach', params: { server: 'w', proof } });
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e', version: '1' } };
      say({ id: 2, method: 'initialize', params });
      say({ id: 3, method: 'tools/call', params: { name: 'write', arguments: { file } } });
    });
    say({ id: 0, method: 'mcp.attach', params: { server: 'w' } });
  }
  setTimeout(() => process.exit(), 3_000);`;

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(prefix: string): string {
  const folder = mkdtempSync(prefix);
  made.push(folder);
  return folder;
}

/** A gateway whose socket is in one of these folders, and a session with network access that tries to call through it. */
async function callThroughGateway(
  testbed: LimitedTestbed,
  variables: Readonly<Record<string, string>>,
  folders: readonly string[],
) {
  const server = join(testbed.home.rootDir, 'server.cjs');
  writeFileSync(server, SERVER);
  const config = join(testbed.own, 'config.json');
  const servers = { w: { transport: 'stdio', command: process.execPath, args: [server] } };
  writeFileSync(config, JSON.stringify({ version: 1, mcp: { servers } }));
  const { command, args } = switchboard('gateway', '--config', config);
  const env = testbed.env(variables);
  const gateway = spawn(command, args, { env, cwd: testbed.home.rootDir, stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    for (const message of [initializeRequest(), initialized]) gateway.stdin.write(`${JSON.stringify(message)}\n`);
    await once(gateway.stdout, 'data');
    gateway.stdout.resume();
    const used = () => folders.filter((folder) => existsSync(folder) && readdirSync(folder).length > 0);
    await expect.poll(used, { timeout: 30_000 }).toHaveLength(1);
    const [folder = ''] = used();
    writeFileSync(join(testbed.root, 'intruder.cjs'), ATTACH_AND_CALL_SCRIPT);
    const client = await testbed.limited({ env: variables });
    const shell = `${process.execPath} intruder.cjs ${folder} ${testbed.outside}/stolen > log 2>&1`;
    await client.result('codex_start', { ...FREE, prompt: scriptPrompt({ shell }), waitSeconds: 30 });
    return { folder, log: readFileSync(join(testbed.root, 'log'), 'utf8'), stolen: readdirSync(testbed.outside) };
  } finally {
    const exited = once(gateway, 'exit');
    gateway.stdin.end();
    await exited;
  }
}

const NETWORK = { extra: { sandbox_workspace_write: { network_access: true } } };
const REFUSED = '1 mcp.attach: the file that proves access to the folder of the socket does not exist.';

test('a session with network access cannot call the servers of a gateway outside its sandbox', async () => {
  await using testbed = await openLimitedTestbed(processes, NETWORK);
  const { log, stolen } = await callThroughGateway(testbed, { SWITCHBOARD_HOME: testbed.own }, [
    join(testbed.own, 'run'),
  ]);
  expect(log).toContain('create the empty file');
  expect(log).toMatch(/not written E(?:ROFS|ACCES|PERM)/);
  expect(log).toContain(REFUSED);
  expect(stolen).toEqual([]);
});

test('a session cannot call the servers of a gateway whose runtime folder is in /tmp, which is writable', async () => {
  await using testbed = await openLimitedTestbed(processes, NETWORK);
  const runtime = newFolder('/tmp/runtime-');
  // Short enough for a socket, wherever the clone is.
  const data = newFolder('/var/tmp/data-');
  const variables = { SWITCHBOARD_HOME: '', XDG_RUNTIME_DIR: runtime, XDG_DATA_HOME: data };
  const beside = join(data, 'switchboard', 'run');
  const { folder, log, stolen } = await callThroughGateway(testbed, variables, [join(runtime, 'switchboard'), beside]);
  expect(stolen).toEqual([]);
  expect(folder).toBe(beside);
  expect(log).toContain(REFUSED);
});

test('no session can write to the socket folder', async () => {
  await using testbed = await openLimitedTestbed(processes);
  const runtime = newFolder('/var/tmp/runtime-');
  const env = { SWITCHBOARD_HOME: '', XDG_RUNTIME_DIR: runtime };
  const client = await testbed.limited({ args: ['--allow-root', runtime], env });
  const wanted = { ...FREE, prompt: scriptPrompt(), workingDirectory: runtime, waitSeconds: 30 };
  expect(await client.failure('codex_start', wanted)).toContain(
    `${runtime} is, contains or is inside a folder of Switchboard itself (${join(runtime, 'switchboard')})`,
  );
});
