import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { IDLE_TIMEOUT_MS } from '../../src/control/socket/control-connection.ts';
import { MAX_CONNECTIONS } from '../../src/control/socket/control-connections.ts';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import { trackProcesses } from '../processes.ts';
import { controlHarness, onlyRunning } from './harness.ts';

const harness = controlHarness();
const processes = trackProcesses();

afterEach(() => void vi.useRealTimers());

describe('whatever one connection sends, the others are answered', () => {
  const opened = async () => {
    const testEnvironment = harness.testEnvironment();
    const { address } = await harness.open({ environment: testEnvironment });
    const answersOthers = async () =>
      expect(await sendControlRequest(onlyRunning(testEnvironment), 'mcp.list')).toEqual({ method: 'mcp.list' });
    return { ...harness.dial(address), answersOthers };
  };

  test('invalid lines are rejected one by one, and the next request is answered', async () => {
    const { socket, next, answersOthers } = await opened();
    socket.write('hello\n\u0000\u00ff\n[]\n{"jsonrpc":"2.0","id":"a","method":"mcp.list"}\n');
    expect([await next(), await next(), await next(), await next()]).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.stringContaining('This line is not JSON') } },
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.stringContaining('This line is not JSON') } },
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
      { jsonrpc: '2.0', id: 'a', result: { method: 'mcp.list' } },
    ]);
    await answersOthers();
  });

  test('an incomplete line closes the connection', async () => {
    const { socket, next, answersOthers } = await opened();
    socket.end('{"jsonrpc":"2.0","id":1,"meth');
    expect(await next()).toBe(undefined);
    await answersOthers();
  });

  test('a line of two megabytes is rejected, and the next request is answered', async () => {
    const { socket, next, answersOthers } = await opened();
    socket.write(`{"jsonrpc":"2.0","id":1,"method":"mcp.list","params":"${'x'.repeat(2 * 1024 * 1024)}"}\n`);
    socket.write('{"jsonrpc":"2.0","id":2,"method":"mcp.list"}\n');
    const message = 'A request is over the limit of 1048576 bytes.';
    expect([await next(), await next()]).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: 1013, message, data: { maxBytes: 1048576 } } },
      { jsonrpc: '2.0', id: 2, result: { method: 'mcp.list' } },
    ]);
    await answersOthers();
  });

  test('a client that half-closes after its request is still answered', async () => {
    const { socket, next } = await opened();
    socket.end('{"jsonrpc":"2.0","id":1,"method":"mcp.list"}\n');
    expect([await next(), await next()]).toEqual([
      { jsonrpc: '2.0', id: 1, result: { method: 'mcp.list' } },
      undefined,
    ]);
  });

  test('a client that disconnects in the middle of a request affects no other', async () => {
    const { socket, answersOthers } = await opened();
    await new Promise((resolve) => socket.write('{"jsonrpc":"2.0","id":1,"method":"mcp.list"}\n{', resolve));
    socket.destroy();
    await answersOthers();
  });
});

test('a response that cannot be serialized fails only its own request', async () => {
  const testEnvironment = harness.testEnvironment();
  await harness.open({ environment: testEnvironment, answer: () => 1n });
  await expect(sendControlRequest(onlyRunning(testEnvironment), 'mcp.list')).rejects.toMatchObject({
    code: 'REQUEST_FAILED',
    data: { rpcCode: -32603 },
  });
});

test('an idle connection is closed, so that its slot is free for the next', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const testEnvironment = harness.testEnvironment();
  const { address } = await harness.open({ environment: testEnvironment });
  const idle = Array.from({ length: MAX_CONNECTIONS - 1 }, () => harness.dial(address));
  await Promise.all(idle.map(({ socket }) => once(socket, 'connect')));
  // The last connection gets a response, so all earlier ones are accepted and it has the last slot.
  const last = harness.dial(address);
  last.socket.write('{"jsonrpc":"2.0","id":1,"method":"mcp.list"}\n');
  expect(await last.next()).toMatchObject({ id: 1, result: { method: 'mcp.list' } });
  const asked = sendControlRequest(onlyRunning(testEnvironment), 'mcp.list', {}, { timeoutMs: 60_000 });
  vi.advanceTimersByTime(IDLE_TIMEOUT_MS);
  const gone = await Promise.all([...idle, last].map(({ next }) => next()));
  expect(gone).toEqual(Array.from({ length: MAX_CONNECTIONS }, () => undefined));
  expect(await asked).toEqual({ method: 'mcp.list' });
});

test('the socket does not keep its process alive, even with an open connection', async () => {
  const folder = harness.folder();
  const program = join(folder, 'program.mjs');
  const contents = `
    import { openControlSocket } from ${JSON.stringify(join(import.meta.dirname, '../../src/control/socket/control-socket.ts'))};
    const home = ${JSON.stringify(folder)};
    const surroundings = { cwd: home, home, env: { SWITCHBOARD_HOME: home }, platform: process.platform };
    const control = await openControlSocket({ environment: surroundings, answer: () => new Promise(() => {}), onProblem: console.error });
    process.stdin.once('data', () => process.stdin.destroy());
    console.log(control.address);
  `;
  await build({
    stdin: { contents, resolveDir: folder },
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
  });
  const running = spawn(process.execPath, [program], { env: processes.env(), stdio: ['pipe', 'pipe', 'inherit'] });
  const [address] = await once(running.stdout, 'data');
  const { socket } = harness.dial(String(address).trim());
  socket.write('{"jsonrpc":"2.0","id":1,"method":"mcp.list"}\n');
  await once(socket, 'connect');
  running.stdin.write('go\n');
  const [code] = await once(running, 'exit');
  expect(code).toBe(0);
});
