import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { longTimeoutEnv } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';

const root = join(import.meta.dirname, '..', '..');
const SECRET = 'hunter2-"quoted"/slashed';

const processes = trackProcesses();
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-trace-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs one connection: sends each line when the previous one has its response. */
async function visit(args: readonly string[], requests: readonly object[]) {
  const env = processes.env({ SWITCHBOARD_HOME: folder, ...longTimeoutEnv });
  const gateway = spawn(process.execPath, [join(root, 'dist', 'cli', 'main.js'), ...args], { env, cwd: folder });
  const stderr = text(gateway.stderr);
  const exited = once(gateway, 'exit');
  const answers: string[] = [];
  for (const [id, request] of requests.entries()) {
    gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...request })}\n`);
    const [chunk] = await once(gateway.stdout, 'data');
    answers.push(String(chunk));
  }
  if (requests.length > 0) gateway.stdin.end();
  const [status] = await exited;
  return { status, stderr: await stderr, answers };
}

const HELLO = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

const entriesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The sender, receiver and content of each message, without values that differ between runs. */
const outline = (file: string) =>
  entriesOf(file).flatMap(({ side, direction, server, client, message }) =>
    side === undefined || message === undefined
      ? []
      : `${side} ${server ?? client} ${direction} ${message.method ?? `answer ${message.id}`}`,
  );

test('a file that cannot be written ends the gateway before the client sends a message', async () => {
  const file = join(folder, 'no', 'trace');
  const config = join(folder, 'servers.json');
  writeFileSync(config, '{"mcpServers":{}}');
  const { status, stderr } = await visit(['gateway', '--config', config, '--trace', file], []);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining(`The trace cannot be written to ${file}: its folder does not exist.`),
  });
});

test('the trace contains every message of both sides, and no secret', async () => {
  const config = join(folder, 'servers.json');
  writeFileSync(
    config,
    JSON.stringify({
      mcpServers: { one: { ...fixture('well-behaved'), env: { KEY: SECRET, OTHER: 'value-of-env' } } },
    }),
  );
  const file = join(folder, 'trace.ndjson');
  const echoed = `${SECRET} and value-of-env and plain`;
  const { status, stderr, answers } = await visit(
    // Relative to the working folder.
    ['gateway', '--config', config, '--trace', 'trace.ndjson'],
    [
      HELLO,
      { method: 'tools/list' },
      { method: 'tools/call', params: { name: 'one__echo', arguments: { text: echoed } } },
    ],
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(answers[2] ?? '').result.content).toEqual([{ type: 'text', text: echoed }]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const lines = outline(file);
  expect(lines.filter((line) => line.startsWith('client 1 '))).toEqual([
    'client 1 in initialize',
    'client 1 out answer 0',
    'client 1 in tools/list',
    'client 1 out answer 1',
    'client 1 in tools/call',
    'client 1 out answer 2',
  ]);
  expect(lines.filter((line) => line.startsWith('server one '))).toEqual([
    'server one out initialize',
    'server one in answer 1',
    'server one out notifications/initialized',
    'server one out tools/list',
    'server one in answer 2',
    'server one out tools/call',
    'server one in answer 3',
  ]);
  expect(lines.slice(-4)).toEqual([
    'client 1 in tools/call',
    'server one out tools/call',
    'server one in answer 3',
    'client 1 out answer 2',
  ]);
  expect(entriesOf(file).findLast(({ side, message }) => side === 'client' && message !== undefined)).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    side: 'client',
    client: 1,
    direction: 'out',
    bytes: Buffer.byteLength((answers[2] ?? '').trimEnd()),
    message: { jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text: '*** and *** and plain' }] } },
  });
  expect(readFileSync(file, 'utf8')).not.toMatch(/hunter2|value-of-env/);
});

test('the single server of a command line is traced under the name of its command', async () => {
  const { command, args } = fixture('well-behaved');
  const file = join(folder, 'trace');
  const { status } = await visit(
    ['gateway', '--trace', file, '--', command, ...args],
    [HELLO, { method: 'tools/call', params: { name: 'echo', arguments: { text: 'hi' } } }],
  );
  expect(status).toBe(0);
  expect(outline(file)).toEqual([
    'client 1 in initialize',
    'server node out initialize',
    'server node in answer 1',
    'server node out notifications/initialized',
    'client 1 out answer 0',
    'client 1 in tools/call',
    'server node out tools/call',
    'server node in answer 2',
    'client 1 out answer 1',
  ]);
});

test('a failing test prints the messages', { timeout: 120_000 }, async () => {
  const run = [
    `const { startVitest } = await import('vitest/node');`,
    `await startVitest('test', [], { config: false, watch: false, root: ${JSON.stringify(root)},`,
    `  include: ['test/gateway/fixtures/fails-on-purpose.mjs'] });`,
  ].join('\n');
  const failing = spawn(process.execPath, ['--input-type=module', '-e', run], { env: processes.env(), cwd: root });
  const [printed, [status]] = await Promise.all([text(failing.stderr), once(failing, 'exit'), text(failing.stdout)]);
  expect(status).toBe(1);
  expect(printed).toContain('Trace of "asks for a tool that is not there":\n{"time":"');
  expect(printed).toContain('"side":"client","client":1,"direction":"in"');
  expect(printed).toContain('"side":"server","server":"one","direction":"out"');
});
