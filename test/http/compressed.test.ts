import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Message } from '../gateway/harness.ts';
import { answerBasics, at, type Handle, httpHarness, textOf } from './harness.ts';

const { openGateway, openServer, openFixture } = httpHarness();

const ENCODINGS: readonly (readonly [string, string, (bytes: Buffer) => Buffer])[] = [
  ['gzip', 'gzip', gzipSync],
  ['x-gzip', 'x-gzip', gzipSync],
  ['GZIP in capitals', ' GZIP', gzipSync],
  ['br', 'br', brotliCompressSync],
  ['deflate', 'deflate', deflateSync],
  ['deflate without the zlib format', 'deflate', deflateRawSync],
  [
    'gzip in two members',
    'gzip',
    (bytes) => Buffer.concat([bytes.subarray(0, 9), bytes.subarray(9)].map((part) => gzipSync(part))),
  ],
  ['identity', 'identity', (bytes) => bytes],
  ['identity and gzip', 'identity, gzip', gzipSync],
];

describe('a server that compresses without being asked', () => {
  test.each(ENCODINGS)('%s: all its responses are read', async (_, encoding, compress) => {
    const server = await openServer((came, response) =>
      compressing(response, encoding, compress, () => answerBasics(came, response) || sendCall(came.message, response)),
    );
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('é'.repeat(5_000));
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  test.each(ENCODINGS)('%s: a response as an event is read', async (_, encoding, compress) => {
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      const event = `event: message\ndata: ${JSON.stringify(callResult(came.message))}\n\n`;
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding });
      response.end(compress(Buffer.from(event)));
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('é'.repeat(5_000));
  });

  test.each([
    ['gzip', () => createGzip(), constants.Z_SYNC_FLUSH],
    ['deflate', () => createDeflate(), constants.Z_SYNC_FLUSH],
    ['br', () => createBrotliCompress(), constants.BROTLI_OPERATION_FLUSH],
  ] as const)(
    '%s: each event is delivered when it is sent, not when the stream ends',
    async (encoding, create, flush) => {
      const received: (() => void)[] = [];
      const server = await openServer(async (came, response) => {
        if (answerBasics(came, response)) return;
        response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding });
        const stream = create();
        stream.pipe(response);
        const say = (message: unknown) => {
          stream.write(`data: ${JSON.stringify(message)}\n\n`);
          stream.flush(flush, () => {});
        };
        const { _meta: meta } = (came.message.params ?? {}) as { _meta?: { progressToken: unknown } };
        for (let progress = 1; progress <= 3; progress++) {
          const reported = new Promise<void>((resolve) => received.push(resolve));
          say({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: meta?.progressToken, progress },
          });
          await reported;
        }
        say(callResult(came.message));
        // Not even now: a response counts only when it is complete.
      });
      const client = await openGateway({ far: at(server.url) }).connect();
      const answered = client.request('tools/call', { name: 'far__echo', _meta: { progressToken: 'p' } });
      for (let progress = 1; progress <= 3; progress++) {
        await client.waitFor(
          ({ method, params }) => method === 'notifications/progress' && params?.['progress'] === progress,
        );
        received[progress - 1]?.();
      }
      expect(textOf(await answered)).toBe('é'.repeat(5_000));
    },
  );

  test('an error with a body is reported with its text', async () => {
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      const error = { jsonrpc: '2.0', id: came.message.id, error: { code: -32_000, message: 'out of paper' } };
      response.writeHead(400, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(error)));
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect((await client.call('far__echo')).error?.message).toBe('Server error: out of paper');
  });

  test('an empty body is empty', async () => {
    const server = await openServer((came, response) => {
      const isNote = came.method === 'POST' && came.message.id === undefined;
      if (isNote) return response.writeHead(202, { 'content-encoding': 'gzip' }).end();
      if (answerBasics(came, response)) return;
      return response.writeHead(503, { 'content-encoding': 'gzip', 'content-length': 0 }).end();
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect((await client.call('far__echo')).error?.message).toContain(
      `${new URL(server.url).host} answered HTTP 503 Service Unavailable.`,
    );
  });

  test('the stream of an HTTP+SSE server is read', async () => {
    const server = await openServer((came, response) => {
      if (came.method !== 'GET') return void answerElsewhere(came, response);
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      stream = createGzip();
      stream.pipe(response);
      say('event: endpoint\ndata: /write\n\n');
    });
    let stream = createGzip();
    const say = (text: string) => {
      stream.write(text);
      stream.flush(constants.Z_SYNC_FLUSH, () => {});
    };
    const answerElsewhere: Handle = (came, response) => {
      if (came.path !== '/write') return response.writeHead(405).end();
      response.writeHead(202).end();
      const { id, method } = came.message;
      const results: Record<string, unknown> = {
        initialize: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'old' } },
        'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
        'tools/call': callResult(came.message).result,
      };
      const result = results[String(method)];
      if (result !== undefined) say(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
      return undefined;
    };
    const client = await openGateway({ far: at(server.url, { isSse: true }) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('é'.repeat(5_000));
  });
});

describe('a decompression bomb', () => {
  test.each([
    ['gzip', () => createGzip({ level: 1 })],
    ['br', () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ] as const)('%s: is aborted at the limit, and its connection is closed', async (encoding, create) => {
    const ended: Promise<unknown>[] = [];
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
      ended.push(once(response, 'close'));
      const stream = create();
      stream.pipe(response);
      stream.on('error', () => {});
      const zeros = Buffer.alloc(10 * 1024 * 1024);
      const more = () => {
        if (!response.destroyed) stream.write(zeros, more);
      };
      more();
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect((await client.call('far__echo')).error?.message).toContain(
      `${new URL(server.url).host} answered tools/call with more than the limit of 67108864 bytes.`,
    );
    await ended[0];
  });

  test('as an event is aborted at the limit', async () => {
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.concat([Buffer.from('data: '), Buffer.alloc(65 * 1024 * 1024, 'x')]), { level: 1 }));
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect((await client.call('far__echo')).error?.message).toContain('over the limit of 67108864 bytes');
  });

  test('as an error page is read only at its start', async () => {
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      response.writeHead(500, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(20 * 1024 * 1024, 'x'), { level: 1 }));
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect((await client.call('far__echo')).error?.message).toMatch(/answered HTTP 500 Internal Server Error: x+…/);
  });
});

describe('a response that cannot be decompressed', () => {
  const whole = (message: Message) => gzipSync(JSON.stringify(callResult(message)));
  const damaged = (message: Message) => whole(message).fill(0x55, 20, 60);
  const cases: readonly (readonly [string, string, (message: Message) => Buffer, RegExp])[] = [
    [
      'damaged',
      'gzip',
      damaged,
      /^Server error: HOST: its response to tools\/call cannot be decompressed \(gzip: .+\)\.$/,
    ],
    [
      'not compressed at all',
      'br',
      (message) => Buffer.from(JSON.stringify(callResult(message))),
      /decompressed \(br: Decompression failed\)\.$/,
    ],
    ['in another encoding', 'deflate', whole, /decompressed \(deflate: .+\)\.$/],
    [
      'without its end',
      'gzip',
      (message) => whole(message).subarray(0, -5),
      /decompressed \(gzip: unexpected end of file\)\.$/,
    ],
    [
      'of a kind that nobody knows',
      'zstd',
      whole,
      /^Server error: HOST: its response to tools\/call has a Content-Encoding that is not supported \(zstd\); use gzip, br or deflate\.$/,
    ],
    [
      'compressed twice',
      'gzip, gzip',
      (message) => gzipSync(whole(message)),
      /not supported \(gzip, gzip\); use gzip, br or deflate\.$/,
    ],
  ];

  test.each(cases)(
    '%s (%s): the call fails with the reason, and the next one works',
    async (_, encoding, body, expected) => {
      const server = await openServer((came, response) => {
        if (answerBasics(came, response)) return;
        const isBad = came.body.includes('"bad"');
        if (!isBad) return sendCall(came.message, response);
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
        response.end(body(came.message));
      });
      const client = await openGateway({ far: at(server.url) }).connect();
      const { error } = await client.call('far__echo', { text: 'bad' });
      expect(error?.message.replaceAll(new URL(server.url).host, 'HOST')).toMatch(expected);
      expect(textOf(await client.call('far__echo'))).toBe('é'.repeat(5_000));
    },
  );

  test('a secret that the server echoes in a header or a compressed error is redacted', async () => {
    const secret = 'Sk-Live-0123456789abcdef';
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      response.writeHead(400, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      response.end(gzipSync(`You sent ${came.headers['x-key']}`));
    });
    const bad = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      const encoding = `${came.headers['x-key']}, gzip`;
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end('{}');
    });
    const headers = { 'x-key': secret };
    const client = await openGateway({ far: at(server.url, { headers }), bad: at(bad.url, { headers }) }).connect();
    const messages = [(await client.call('far__echo')).error?.message, (await client.call('bad__echo')).error?.message];
    expect(messages).toEqual([
      expect.stringContaining('You sent ***'),
      expect.stringContaining('not supported (unknown, gzip); use gzip, br or deflate'),
    ]);
  });

  test('as an event stream fails in the same way', async () => {
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.end(Buffer.from('data: not compressed\n\n'));
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect((await client.call('far__echo')).error?.message).toBe(
      `Server error: ${new URL(server.url).host}: its response to tools/call cannot be decompressed (gzip: incorrect header check).`,
    );
  });

  test('from the first response on: the server is down with the reason', async () => {
    const server = await openServer((came, response) =>
      compressing(
        response,
        'gzip',
        (bytes) => bytes,
        () => answerBasics(came, response),
      ),
    );
    const client = await openGateway({ far: at(server.url) }).connect();
    expect((await client.call('far__echo')).error?.message).toMatch(
      /its response to initialize cannot be decompressed \(gzip: incorrect header check\)/,
    );
  });
});

test('a fixture that compresses works like any other', async () => {
  const server = await openFixture('gzip-unasked', '--at', 'any');
  const client = await openGateway({ far: at(server.url) }).connect();
  expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
});

function callResult({ id }: Message) {
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'é'.repeat(5_000) }] } };
}

function sendCall(message: Message, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(callResult(message)));
}

/** Compresses everything that is written meanwhile. */
function compressing(
  response: ServerResponse,
  encoding: string,
  compress: (bytes: Buffer) => Buffer,
  work: () => unknown,
): void {
  const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
  const writeHead = response.writeHead.bind(response) as (status: number, headers?: object) => ServerResponse;
  Object.assign(response, {
    writeHead: (status: number, headers: object = {}) =>
      writeHead(status, { ...headers, 'content-encoding': encoding }),
    end: (body?: string) => (body === undefined ? end() : end(compress(Buffer.from(body)))),
  });
  work();
}
