import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { AppError } from '../../src/base/errors.ts';
import type { OpenTransport, UpstreamTransport } from '../../src/upstream/transports/transport.ts';
import { type Frame, frameText } from '../../src/wire/frame.ts';

type Message = Record<string, unknown> & {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect results of every shape
  readonly result?: any;
};

/** One transport to `transport-server.mjs`. */
export interface TransportCase {
  /** Starts a server and returns the transport to it. */
  open(): Promise<ReachedServer>;
}

export interface ReachedServer {
  readonly open: OpenTransport;
  /** Returns the sockets and processes that are left of the connection. */
  left(): Promise<readonly string[]>;
}

const ODD =
  '{"content":[],"structuredContent":{"big":9007199254740993,"float":1.0,"huge":1e400,"twice":1,"twice":2,' +
  '"__proto__":{"polluted":true},"escaped":"\\u0041\\/", "spaced" : [ ] }}';

/** The contract of every transport. */
export function testTransport(name: string, { open: reach }: TransportCase): void {
  describe(name, () => {
    const opened: UpstreamTransport[] = [];
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((transport) => transport.close()));
    });

    const connect = async ({ isGreeted = true } = {}) => {
      const server = await reach();
      const peer = new RecordingPeer();
      peer.transport = await server.open(peer.receiver);
      opened.push(peer.transport);
      if (isGreeted) await peer.initialize();
      return { peer, transport: peer.transport, server };
    };

    test('initialize returns the server info', async () => {
      const { peer } = await connect({ isGreeted: false });
      const { result } = await peer.initialize();
      expect({ ...result, serverInfo: undefined }).toEqual({
        protocolVersion: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
        capabilities: { tools: { listChanged: true } },
        serverInfo: undefined,
      });
    });

    test('an error response from the server settles the call', async () => {
      const { peer } = await connect();
      expect(await peer.call('no such tool')).toMatchObject({ error: { code: -32601, message: 'Method not found' } });
    });

    test('a response has the id of its call', async () => {
      const { peer } = await connect();
      expect(await peer.call('echo', '{"text":"Grüße 🌍"}')).toEqual({
        jsonrpc: '2.0',
        id: peer.lastId,
        result: { content: [{ type: 'text', text: 'Grüße 🌍' }] },
      });
      expect({ faults: peer.faults, queued: peer.transport?.queuedBytes() }).toEqual({ faults: [], queued: 0 });
    });

    test('arguments arrive byte for byte', async () => {
      const { peer } = await connect();
      const args =
        '{"big":9007199254740993,"float":1.0,"huge":1e400,"twice":1,"twice":2,"__proto__":{}, "u":"\\u0041ü" }';
      expect(Buffer.from(textOf(await peer.call('raw', args)), 'base64').toString()).toContain(args);
    });

    test('results arrive byte for byte', async () => {
      const { peer } = await connect();
      await peer.call('odd');
      expect(peer.lines.at(-1)).toContain(ODD);
    });

    test('large requests and large responses arrive complete', async () => {
      const { peer } = await connect();
      const bytes = 3 * 1024 * 1024;
      expect(textOf(await peer.call('big', `{"bytes":${bytes}}`))).toBe('x'.repeat(bytes));
      const text = 'ü🌍'.repeat(200_000);
      expect(textOf(await peer.call('echo', JSON.stringify({ text })))).toBe(text);
    });

    test('concurrent calls are answered in the order in which they finish', async () => {
      const { peer } = await connect();
      const slow = peer.call('later', '{"text":"slow","ms":2000}');
      const many = Array.from({ length: 16 }, (_, at) => peer.call('later', `{"text":"${at}","ms":${150 - 9 * at}}`));
      const fast = peer.call('echo', '{"text":"fast"}');
      expect([await fast, ...(await Promise.all(many)), await slow].map(textOf)).toEqual([
        'fast',
        ...Array.from({ length: 16 }, (_, at) => String(at)),
        'slow',
      ]);
      expect(peer.order.at(-1)).toBe(textOf(await slow));
    });

    test('progress arrives in order, before the response', async () => {
      const { peer } = await connect();
      await peer.call('progress', '{}', ',"_meta":{"progressToken":"p"}');
      expect(
        peer.received
          .slice(-4)
          .map(({ method, params, result }) => (method === undefined ? result.content[0].text : params?.['progress'])),
      ).toEqual([1, 2, 3, 'done']);
    });

    test('unsolicited notifications from the server arrive', async () => {
      const { peer } = await connect();
      // A transport with a separate stream may take a moment to open it.
      await expect
        .poll(
          async () => {
            await peer.call('shout');
            return peer.received.some(({ method }) => method === 'notifications/tools/list_changed');
          },
          { timeout: 30_000, interval: 100 },
        )
        .toBe(true);
    });

    test('a server request gets a response', async () => {
      const { peer, transport } = await connect();
      const answer = peer.call('ask');
      const { id, params } = await peer.waitForMessage(({ method }) => method === 'elicitation/create');
      expect(params).toMatchObject({ message: 'Who are you?' });
      transport.send(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"action":"accept","content":{"name":"ü"}}}`,
      );
      expect(JSON.parse(textOf(await answer))).toEqual({ action: 'accept', content: { name: 'ü' } });
    });

    test('the server receives a cancellation, and its late response is dropped', async () => {
      const { peer, transport } = await connect();
      void peer.call('hang');
      const id = peer.lastId;
      // Wait until the server has received it.
      await peer.call('echo', '{"text":"a"}');
      peer.forget(id);
      transport.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`);
      transport.forget?.(id);
      await expect
        .poll(async () => JSON.parse(textOf(await peer.call('cancelled'))), { timeout: 30_000 })
        .toEqual([id]);
      await delay(100);
      expect(peer.unawaited.filter((one) => one !== id)).toEqual([]);
      expect(peer.failures).toEqual([]);
      expect(textOf(await peer.call('echo', '{"text":"goes on"}'))).toBe('goes on');
    });

    test('while paused, the transport delivers nothing and loses nothing', async () => {
      const { peer, transport } = await connect();
      transport.pause();
      const answers = [1, 2].map((at) => peer.call('echo', `{"text":"${at}"}`));
      const before = peer.received.length;
      await delay(200);
      expect(peer.received.length).toBe(before);
      transport.resume();
      expect((await Promise.all(answers)).map(textOf)).toEqual(['1', '2']);
    });

    test('a transport that was paused before initialize stays paused', async () => {
      const { peer, transport } = await connect({ isGreeted: false });
      transport.pause();
      const greeted = peer.initialize();
      await delay(200);
      expect(peer.received).toEqual([]);
      transport.resume();
      expect(await greeted).toMatchObject({ result: { capabilities: { tools: { listChanged: true } } } });
    });

    test('close ends everything immediately, may be called twice, and no message arrives afterward', async () => {
      const { peer, transport, server } = await connect();
      void peer.call('hang');
      void peer.call('later', '{"text":"late","ms":100}');
      await peer.call('echo', '{"text":"a"}');
      const before = peer.received.length;
      await Promise.all([transport.close(), transport.close()]);
      await transport.close();
      await expect.poll(() => server.left(), { timeout: 30_000 }).toEqual([]);
      transport.send('{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"echo"}}', {
        id: 99,
        sequence: transport.nextSequence(),
        method: 'tools/call',
        isSafeToResend: false,
      });
      await delay(150);
      expect(peer.received.slice(before)).toEqual([]);
      expect(await server.left()).toEqual([]);
    });

    test('close before initialize leaves nothing running', async () => {
      const { transport, server } = await connect({ isGreeted: false });
      await transport.close();
      await expect.poll(() => server.left(), { timeout: 30_000 }).toEqual([]);
    });

    test('close during initialize leaves nothing running', async () => {
      const { peer, transport, server } = await connect({ isGreeted: false });
      void peer.initialize();
      await delay(20);
      await transport.close();
      await expect.poll(() => server.left(), { timeout: 30_000 }).toEqual([]);
    });
  });
}

function textOf({ result }: Message): string {
  return String(result.content[0].text);
}

/** A minimal receiver for a transport. Assigns ids and records all messages. */
class RecordingPeer {
  transport: UpstreamTransport | undefined;
  readonly received: Message[] = [];
  /** Unchanged. */
  readonly lines: string[] = [];
  /** The texts of the responses, in the order of arrival. */
  readonly order: unknown[] = [];
  readonly faults: string[] = [];
  /** Ids of responses without a pending call. */
  readonly unawaited: unknown[] = [];
  readonly failures: AppError[] = [];
  lastId = 0;
  readonly #awaited = new Map<number, (message: Message) => void>();
  readonly #listeners: (() => void)[] = [];

  readonly receiver = {
    redact: (text: string) => text,
    frame: (frame: Frame) => this.#take(frameText(frame)),
    reportError: ({ message }: AppError) => void this.faults.push(message),
    requestFailed: (id: number, reason: AppError) => {
      this.failures.push(reason);
      this.forget(id);
    },
    isPending: (id: number) => this.#awaited.has(id),
    end: (reason: AppError) => void this.failures.push(reason),
  };

  async initialize(): Promise<Message> {
    const params = '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}';
    const answer = await this.#request('initialize', params);
    this.transport?.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return answer;
  }

  /** `more` contains additional members of the params, as JSON text. */
  call(tool: string, args = '{}', more = ''): Promise<Message> {
    return this.#request('tools/call', `{"name":${JSON.stringify(tool)},"arguments":${args}${more}}`);
  }

  forget(id: number): void {
    this.#awaited.delete(id);
  }

  /** Resolves with the first match among past and future messages. */
  async waitForMessage(isWanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.received.find(isWanted);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  #request(method: string, params: string): Promise<Message> {
    const id = ++this.lastId;
    const answer = new Promise<Message>((resolve) => this.#awaited.set(id, resolve));
    const sequence = this.transport?.nextSequence() ?? 0;
    this.transport?.send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`, {
      id,
      sequence,
      method,
      isSafeToResend: false,
    });
    return answer;
  }

  #take(line: string): void {
    const message = JSON.parse(line) as Message;
    this.lines.push(line);
    this.received.push(message);
    if (message.method === undefined) {
      this.order.push(message.result?.content?.[0]?.text);
      const settle = this.#awaited.get(Number(message.id));
      if (settle === undefined) this.unawaited.push(message.id);
      this.forget(Number(message.id));
      settle?.(message);
    }
    for (const wake of this.#listeners.splice(0)) wake();
  }
}
