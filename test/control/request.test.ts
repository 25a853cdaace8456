import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import { trackProcesses } from '../processes.ts';
import { controlHarness, onlyRunning } from './harness.ts';

const harness = controlHarness();
const processes = trackProcesses();
const who = `The Switchboard process ${process.pid}`;
const data = { pid: process.pid, method: 'mcp.list' };

/** A server in place of a Switchboard process that behaves as `behave` specifies. */
async function openFakeInstance(behave: (socket: Socket) => void) {
  const address = join(harness.folder(), 'socket');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    behave(socket);
  }).listen(address);
  await once(server, 'listening');
  server.unref();
  return { pid: process.pid, address };
}

describe('every failure is reported with its code and its process', () => {
  test('nothing listens', async () => {
    const running = { pid: 4711, address: join(harness.folder(), 'nothing.sock') };
    await expect(sendControlRequest(running, 'mcp.list')).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: 'The Switchboard process 4711 does not listen: ENOENT.',
      data: { pid: 4711, method: 'mcp.list' },
    });
  });

  test('the request is rejected', async () => {
    const testEnvironment = harness.testEnvironment();
    await harness.open({
      environment: testEnvironment,
      answer() {
        throw new AppError('USAGE', 'no \u001b[31msuch\u001b[0m server', { data: { id: 'x' } });
      },
    });
    await expect(sendControlRequest(onlyRunning(testEnvironment), 'mcp.get', { id: 'x' })).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
      message: `${who} refused mcp.get: no such server`,
      data: { pid: process.pid, method: 'mcp.get', rpcCode: -32602, rpcData: { id: 'x' } },
    });
  });

  test.each([
    ['invalid JSON', 'hello\n', 'BAD_ANSWER', 'answered mcp.list with something other than JSON.'],
    ['no message', '[1]\n', 'BAD_ANSWER', 'answered mcp.list with something other than a message.'],
    [
      'neither a result nor an error',
      '{"id":1}\n',
      'BAD_ANSWER',
      'did not correctly answer mcp.list: mcp.list: the server sent neither a result nor an error.',
    ],
    ['truncated', '{"id":1,"result":', 'CONNECTION_CLOSED', 'closed the connection before it answered mcp.list.'],
    ['nothing', '', 'CONNECTION_CLOSED', 'closed the connection before it answered mcp.list.'],
  ])('the response is %s', async (_, text, code, what) => {
    const running = await openFakeInstance((socket) => void socket.once('data', () => socket.end(text)));
    await expect(sendControlRequest(running, 'mcp.list')).rejects.toMatchObject({
      code,
      message: `${who} ${what}`,
      data,
    });
  });

  test('the response never ends', async () => {
    const running = await openFakeInstance((socket) => {
      const chunk = 'x'.repeat(1024 * 1024);
      const pour = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', pour);
      pour();
    });
    await expect(sendControlRequest(running, 'mcp.list', {}, { timeoutMs: 50_000 })).rejects.toMatchObject({
      code: 'MESSAGE_TOO_LARGE',
      data,
    });
  });

  test('the request times out', async () => {
    const running = await openFakeInstance(() => {});
    await expect(sendControlRequest(running, 'mcp.list', {}, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'TIMED_OUT',
      message: `${who} did not answer mcp.list within 50 ms.`,
      data,
    });
  });

  test('the caller aborts, before or during the request', async () => {
    const running = await openFakeInstance(() => {});
    const meanwhile = new AbortController();
    const asked = sendControlRequest(running, 'mcp.list', {}, { signal: meanwhile.signal });
    meanwhile.abort();
    for (const failing of [asked, sendControlRequest(running, 'mcp.list', {}, { signal: AbortSignal.abort() })]) {
      await expect(failing).rejects.toMatchObject({ code: 'CANCELLED', data });
    }
  });

  test('the process is killed during the request', async () => {
    const address = join(harness.folder(), 'socket');
    const script = `require('net').createServer((s) => s.once('data', () => console.log('asked'))).listen(process.argv[1], () => console.log('ready'))`;
    const server = spawn(process.execPath, ['-e', script, address], { env: processes.env() });
    await once(server.stdout, 'data');
    const pid = server.pid ?? 0;
    const asked = sendControlRequest({ pid, address }, 'mcp.list', {}, { timeoutMs: 60_000 });
    const failed = expect(asked).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
      data: { pid, method: 'mcp.list' },
    });
    await once(server.stdout, 'data');
    server.kill('SIGKILL');
    await failed;
  });

  test('the connection is closed during the request', async () => {
    const testEnvironment = harness.testEnvironment();
    let received = () => {};
    const isAsked = new Promise<void>((resolve) => {
      received = resolve;
    });
    const answer = () => {
      received();
      return new Promise(() => {});
    };
    const control = await harness.open({ environment: testEnvironment, answer });
    const asked = sendControlRequest(onlyRunning(testEnvironment), 'mcp.list', {}, { timeoutMs: 60_000 });
    const failed = expect(asked).rejects.toMatchObject({ code: 'CONNECTION_CLOSED', data });
    await isAsked;
    await control.close();
    await failed;
  });
});

test('method, params and result arrive unchanged', async () => {
  const testEnvironment = harness.testEnvironment();
  const text = 'Grüße 🌍\n';
  await harness.open({ environment: testEnvironment, answer: async (method, params) => ({ method, params }) });
  expect(await sendControlRequest(onlyRunning(testEnvironment), 'mcp.get', { id: text })).toEqual({
    method: 'mcp.get',
    params: { id: text },
  });
  expect(await sendControlRequest(onlyRunning(testEnvironment), 'mcp.list')).toEqual({ method: 'mcp.list' });
});

test('a response of many megabytes arrives complete', async () => {
  const testEnvironment = harness.testEnvironment();
  const large = 'ü🌍'.repeat(1024 * 1024);
  await harness.open({ environment: testEnvironment, answer: () => large });
  expect(
    (await sendControlRequest(onlyRunning(testEnvironment), 'mcp.list', {}, { timeoutMs: 50_000 })) === large,
  ).toBe(true);
});

test('hundreds of concurrent requests are all answered', async () => {
  const testEnvironment = harness.testEnvironment();
  await harness.open({
    environment: testEnvironment,
    answer: async (_, params) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return params;
    },
  });
  const running = onlyRunning(testEnvironment);
  const numbers = Array.from({ length: 500 }, (_, at) => at);
  const answers = await Promise.all(
    numbers.map((at) => sendControlRequest(running, 'mcp.list', { at }, { timeoutMs: 50_000 })),
  );
  expect(answers).toEqual(numbers.map((at) => ({ at })));
});
