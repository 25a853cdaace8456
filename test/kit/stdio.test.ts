import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect as connectTcp, createServer as createTcpServer } from 'node:net';
import type { Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { type Handler, serve, type Transport, type TransportReceiver } from '../../src/kit/index.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';

const processes = trackProcesses();

function start(
  file: string,
): ChildProcess & { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return spawn(process.execPath, [path], { env: processes.env(), stdio: ['pipe', 'pipe', 'pipe'] });
}

const message = (id: unknown, method: string, params: unknown = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const call = (id: unknown, name: string, args: unknown = {}) => message(id, 'tools/call', { name, arguments: args });

/** Sends everything, closes stdin, and returns the output. */
async function converse(file: string, input: string | Buffer) {
  const server = start(file);
  const [out, err, [code]] = await Promise.all([
    readAll(server.stdout),
    readAll(server.stderr),
    once(server, 'exit'),
    server.stdin.end(input),
  ]);
  return {
    code,
    err,
    out,
    answers: out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  };
}

const ECHO = '../../examples/echo.mjs';
const MISBEHAVING_TOOLS = './fixtures/misbehaving-tools.mjs';

verifies(
  ['kit:example:smoke', 'kit:stdio:eof', 'kit:stdio:line-out', 'kit:stdio:clean-stdout'],
  'three lines piped into the echo server return three lines and status 0',
  async () => {
    const { code, answers, err } = await converse(
      ECHO,
      [
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}',
        '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi\\nthere"}}}',
        '',
      ].join('\n'),
    );
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(answers[1].result.tools[0].name).toBe('echo');
    expect(answers[2].result).toEqual({ content: [{ type: 'text', text: 'You said: hi\nthere' }] });
    expect({ code, err }).toEqual({ code: 0, err: '' });
  },
);

verifies(
  ['kit:stdio:line-in', 'kit:stdio:empty-lines'],
  'requests arrive whole, however the bytes are split, and empty lines are ignored',
  async () => {
    const server = start(ECHO);
    const bytes = Buffer.from(`\n\r\n   \n${call(1, 'echo', { message: 'žluťoučký 🐎' })}\r\n\n`);
    for (const byte of bytes) {
      server.stdin.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const [out] = await Promise.all([readAll(server.stdout), once(server, 'exit'), server.stdin.end()]);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'You said: žluťoučký 🐎' }] } }]);
  },
);

verifies('kit:stdio:flush', 'a response is sent at once, while stdin stays open', async () => {
  const server = start(ECHO);
  server.stdin.write(message(1, 'ping'));
  const [line] = await once(server.stdout, 'data');
  expect(JSON.parse(String(line))).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  server.stdin.end();
  await once(server, 'exit');
});

verifies('kit:stdio:multi-line', 'a request over several lines is rejected, and the next one is answered', async () => {
  const pretty = JSON.stringify(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { message: 'x' } } },
    null,
    2,
  );
  const { answers, code } = await converse(ECHO, `${pretty}\n${message(2, 'ping')}`);
  expect(answers.filter(({ id }) => id !== null)).toEqual([{ jsonrpc: '2.0', id: 2, result: {} }]);
  expect(answers[0]).toMatchObject({ id: null, error: { code: -32700 } });
  expect(code).toBe(0);
});

test('the last line needs no newline', async () => {
  const { answers } = await converse(ECHO, message(1, 'ping').trimEnd());
  expect(answers).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
});

test('a client with Content-Length framing is answered in that framing', async () => {
  const body = message(1, 'tools/call', { name: 'echo', arguments: { message: 'ž' } }).trimEnd();
  const server = start(ECHO);
  const [out] = await Promise.all([
    readAll(server.stdout),
    once(server, 'exit'),
    server.stdin.end(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`),
  ]);
  const answer = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"You said: ž"}]}}';
  expect(out).toBe(`Content-Length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`);
});

describe('stdout belongs to the protocol', () => {
  verifies(
    ['kit:logging:stderr', 'kit:logging:silent'],
    'a stray console.log or process.stdout.write goes to stderr, even from a console used before',
    async () => {
      const { answers, err, code } = await converse(MISBEHAVING_TOOLS, call(1, 'chatty'));
      expect(answers).toEqual([{ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'quiet' }] } }]);
      expect(err).toBe('from console.log\nfrom stdout.write\nfrom console.error\n');
      expect(code).toBe(0);
    },
  );
});

test('a second server on the same stdout is rejected', async () => {
  const { answers, err } = await converse(MISBEHAVING_TOOLS, call(1, 'serve-again'));
  expect(answers).toEqual([expect.objectContaining({ id: 1, result: expect.objectContaining({ isError: true }) })]);
  expect(answers[0].result.content[0].text).toContain('stdout is already in use');
  expect(err).toBe('');
});

describe('at the end of input', () => {
  test('a pending call is finished and answered', async () => {
    const { answers, code } = await converse(MISBEHAVING_TOOLS, call(1, 'slow', { ms: 300 }));
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'slept' }] } }]);
    expect(code).toBe(0);
  });

  test('a call that takes too long is aborted after five seconds, and the status is 0', async () => {
    const started = Date.now();
    const { answers, err, code } = await converse(MISBEHAVING_TOOLS, call(1, 'stubborn'));
    expect(answers.filter(({ id }) => id !== undefined)).toEqual([]);
    expect(err).toContain('aborted: CONNECTION_CLOSED');
    expect(code).toBe(0);
    expect(Date.now() - started).toBeGreaterThan(4_500);
  });

  test('resources that user code forgot to close do not keep the process alive', async () => {
    const { answers, code } = await converse(MISBEHAVING_TOOLS, call(1, 'leaks-a-timer'));
    expect(answers).toHaveLength(1);
    expect(code).toBe(0);
  });
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)('%s aborts calls at once and ends the process', async (signal, status) => {
  const server = start(MISBEHAVING_TOOLS);
  server.stdin.write(call(1, 'stubborn'));
  const err = readAll(server.stderr);
  await once(server.stdout, 'data');
  server.kill(signal);
  const [code] = await once(server, 'exit');
  expect(code).toBe(status);
  expect(await err).toContain('aborted: CONNECTION_CLOSED');
});

test('a client that stops reading pauses the server, and loses nothing when it reads again', async () => {
  const server = start(MISBEHAVING_TOOLS);
  const calls = 1_000;
  let written = 0;
  server.stdout.pause();
  // More than the pipe and a few chunks hold. Each response has 100 KiB.
  const padding = 'x'.repeat(4_096);
  for (let id = 1; id <= calls; id++) server.stdin.write(call(id, 'big', { kib: 100, padding }), () => written++);
  await vi.waitFor(() => expect(isAsleep(server.pid)).toBe(true), { timeout: 30_000, interval: 100 });
  expect(written).toBeLessThan(calls);
  const [out] = await Promise.all([readAll(server.stdout), once(server, 'exit'), server.stdin.end()]);
  expect(out.split('\n').filter((line) => line !== '')).toHaveLength(calls);
});

test('a full stdout does not block the server', async () => {
  const server = start(MISBEHAVING_TOOLS);
  server.stdout.pause();
  server.stdin.write(call(1, 'big-then-ticks'));
  const [tick] = await once(server.stderr, 'data');
  expect(String(tick)).toContain('tick');
  server.kill('SIGKILL');
  await once(server, 'exit');
});

test('hundreds of large responses to one read are all delivered', { timeout: 300_000 }, async () => {
  // More than the output queue may hold.
  const requests = Array.from({ length: 280 }, (_, id) => call(id, 'big', { kib: 1_000 })).join('');
  const server = start(MISBEHAVING_TOOLS);
  let answers = 0;
  server.stdout.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', at + 1)) answers++;
  });
  server.stdin.end(requests);
  // When it exits, not all of them may have been read.
  const [code] = await once(server, 'close');
  expect({ answers, code }).toEqual({ answers: 280, code: 0 });
});

test('a call without an id is finished at the end of input like any other', async () => {
  const { answers, err, code } = await converse(
    MISBEHAVING_TOOLS,
    message(null, 'tools/call', { name: 'slow', arguments: { ms: 300, say: 'slept' } }),
  );
  expect({ answers, err, code }).toEqual({ answers: [], err: 'slept\n', code: 0 });
});

test('a disconnected client that does not read does not delay a shutdown signal', async () => {
  const server = start(MISBEHAVING_TOOLS);
  // Its signal handlers are installed before it responds.
  server.stdin.write(message(0, 'ping'));
  await once(server.stdout, 'data');
  server.stdout.pause();
  server.stdin.end(call(1, 'big', { kib: 900 }));
  await vi.waitFor(() => expect(isAsleep(server.pid)).toBe(true), { timeout: 30_000, interval: 100 });
  server.kill('SIGTERM');
  const [code] = await once(server, 'exit');
  expect(code).toBe(143);
});

test('a response is complete even if its reader starts late', async () => {
  const server = start(MISBEHAVING_TOOLS);
  server.stdout.pause();
  server.stdin.end(call(1, 'big', { kib: 512 }));
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const [out, [code]] = await Promise.all([readAll(server.stdout), once(server, 'exit')]);
  expect(JSON.parse(out).result.content[0].text).toHaveLength(512 * 1024);
  expect(code).toBe(0);
});

test('a stray console.log survives a client that has closed stderr', async () => {
  const server = start(MISBEHAVING_TOOLS);
  (server.stderr as Readable).destroy();
  server.stdin.write(call(1, 'chatty') + call(2, 'chatty'));
  await once(server.stdout, 'data');
  server.stdin.end(call(3, 'chatty'));
  const [code] = await once(server, 'exit');
  expect(code).toBe(0);
});

verifies('kit:package:no-listener', 'a kit server opens no listener', async () => {
  const server = start(ECHO);
  server.stdin.write(message(1, 'ping'));
  await once(server.stdout, 'data');
  expect(listeningSockets(server.pid)).toEqual([]);
  server.stdin.end();
  await once(server, 'exit');
});

test('a server that listens would be detected', async () => {
  const listener = createTcpServer().listen(0);
  await once(listener, 'listening');
  expect(listeningSockets(process.pid)).not.toEqual([]);
  listener.close();
});

/** The sockets of a process that others could connect to: TCP, UDP and Unix. */
function listeningSockets(pid: number | undefined): string[] {
  const inodes = readdirSync(`/proc/${pid}/fd`).flatMap(
    (fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
  );
  const table = (name: string) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8').split('\n');
  const listening = [
    ...[...table('tcp'), ...table('tcp6')].filter((line) => line.split(/\s+/)[4] === '0A'),
    ...[...table('udp'), ...table('udp6')],
    ...table('unix').filter((line) => line.split(/\s+/)[3] === '00010000'),
  ];
  return inodes.filter((inode) => listening.some((line) => line.split(/\s+/).includes(inode)));
}

function isAsleep(pid: number | undefined): boolean {
  const cpu = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).join(' ');
  const before = cpu();
  const until = performance.now() + 200;
  while (performance.now() < until);
  return cpu() === before;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // The descriptor was closed between listing and reading.
    return '';
  }
}

/** A transport over TCP with the minimum that the interface requires. */
function tcpTransport(port: number): Transport {
  const socket = connectTcp(port, '127.0.0.1').setEncoding('utf8');
  return {
    start(receiver: TransportReceiver) {
      let rest = '';
      socket.on('data', (chunk) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') receiver.message(line);
      });
      socket.on('end', () => receiver.end());
      socket.on('error', () => receiver.end());
    },
    send: (line) => void socket.write(`${line}\n`),
    close: () => void socket.end(),
  };
}

verifies('kit:transport:swap', 'a transport over TCP takes a few lines', async () => {
  const handler: Handler = {
    toolsList: () => ({ tools: [] }),
    toolsCall: ({ name }) => ({ content: [{ type: 'text', text: name }] }),
  };
  const listener = createTcpServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  const served = serve(tcpTransport(typeof address === 'object' && address !== null ? address.port : 0), handler);
  const [client] = await once(listener, 'connection');
  client.write(call('tcp', 'over-tcp'));
  const [line] = await once(client, 'data');
  expect(JSON.parse(String(line))).toEqual({
    jsonrpc: '2.0',
    id: 'tcp',
    result: { content: [{ type: 'text', text: 'over-tcp' }] },
  });
  client.end();
  await served;
  listener.close();
});
