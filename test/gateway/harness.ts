import { afterEach } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import type { LoadedConfig, ServerEntry } from '../../src/config/server-entry.ts';
import { type AggregateGateway, openAggregateGateway } from '../../src/gateway/open-aggregate.ts';
import type { GatewaySettings } from '../../src/gateway/settings.ts';
import type { Outgoing } from '../../src/wire/splice.ts';
import { type ProcessTracker, trackProcesses } from '../processes.ts';

/** A message as a test sees it. */
export type Message = Record<string, unknown> & {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  result?: any;
  error?: { code: number; message: string; data?: Record<string, unknown> };
};

export interface TestServer extends Partial<Omit<ServerEntry, 'id' | 'transport' | 'origin'>> {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly framing?: 'ndjson' | 'content-length';
}

export interface GatewayTestOptions {
  readonly settings?: Partial<GatewaySettings>;
  readonly hasPrefix?: boolean;
  readonly log?: string[];
}

export interface TestGateway {
  readonly gateway: AggregateGateway;
  /** A client that has said hello. */
  connect(hello?: Hello): Promise<TestClient>;
  /** A client that has said nothing yet. */
  open(): TestClient;
}

export interface GatewayHarness {
  readonly processes: ProcessTracker;
  openGateway(servers: Readonly<Record<string, TestServer>>, options?: GatewayTestOptions): TestGateway;
}

/**
 * Gateways in this process, in front of real server processes. Each is closed when its test ends, and nothing that it
 * started may be left then.
 *
 * @example
 * const { openGateway } = gatewayHarness();
 * test('…', async () => {
 *   const { connect } = openGateway({ one: fixture('well-behaved') });
 *   const client = await connect();
 *   await client.call('one__echo', { text: 'hi' });
 * });
 */
export function gatewayHarness(): GatewayHarness {
  const processes = trackProcesses();
  const open = new Set<AggregateGateway>();
  // Hooks run in reverse: this one is before the look at what is left.
  afterEach(async () => {
    await Promise.all([...open].map((gateway) => gateway.close()));
    open.clear();
  });
  return {
    processes,
    openGateway(servers, options) {
      const opened = openTestGateway(processes, servers, options);
      open.add(opened.gateway);
      return opened;
    },
  };
}

function openTestGateway(
  processes: ProcessTracker,
  servers: Readonly<Record<string, TestServer>>,
  { settings = {}, hasPrefix = true, log = [] }: GatewayTestOptions = {},
): TestGateway {
  const env = processes.env();
  const config: LoadedConfig = {
    servers: Object.entries(servers).map(([id, server]) => toConfigured(id, server)),
    problems: [],
  };
  const gateway = openAggregateGateway({
    config,
    env,
    home: env['HOME'] ?? '/',
    platform: process.platform,
    hasPrefix,
    settings: {
      isErrorPassthrough: false,
      hasSummary: false,
      isDebug: false,
      listTimeoutMs: 4000,
      initTimeoutMs: 4000,
      ...settings,
    },
    log: {
      debug: (text) => log.push(text),
      notification: (upstream, { method }) => log.push(`${upstream.id} ${method}`),
    },
  });
  const open = () => new TestClient(gateway);
  const connect = async (hello: Hello = {}) => {
    const client = open();
    await client.initialize(hello);
    return client;
  };
  return { gateway, connect, open };
}

function toConfigured(
  id: string,
  { command, args = [], env = {}, framing = 'ndjson', ...rest }: TestServer,
): LoadedConfig['servers'][number] {
  const origin = { layer: 'explicit', file: '/test/config.json', line: 1 } as const;
  const entry: ServerEntry = {
    tools: { allow: undefined, deny: [] },
    startupTimeoutMs: undefined,
    requestTimeoutMs: undefined,
    start: 'eager',
    expandsVariables: false,
    ...rest,
    id,
    origin,
    transport: { kind: 'stdio', command, args, cwd: undefined, env, envVars: [], inheritEnv: false, framing },
  };
  return { id, origin, verdict: { kind: 'usable', entry } };
}

export interface Hello {
  readonly capabilities?: Record<string, unknown>;
  readonly clientInfo?: Record<string, unknown>;
  readonly protocolVersion?: string;
}

/** A client that speaks the wire by hand: whatever a test wants to send is sent, whatever comes is kept in order. */
export class TestClient {
  readonly received: Message[] = [];
  /** Every line that came, as text. */
  readonly lines: string[] = [];
  /** Answers requests of servers; without one they are left unanswered. */
  onRequest: ((request: Message) => { result: unknown } | { error: unknown } | undefined) | undefined;
  readonly #client: ReturnType<AggregateGateway['connect']>;
  readonly #gateway: AggregateGateway;
  #wake: (() => void)[] = [];
  #nextId = 1;

  constructor(gateway: AggregateGateway) {
    this.#gateway = gateway;
    this.#client = gateway.connect((message) => this.#take(textOf(message)));
  }

  send(message: unknown): void {
    this.sendLine(typeof message === 'string' ? message : JSON.stringify(message));
  }

  sendLine(line: string | Buffer): void {
    this.#client.receive([Buffer.from(line)]);
  }

  async initialize(hello: Hello = {}): Promise<Message> {
    const answer = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
      ...hello,
    });
    this.notify('notifications/initialized');
    return answer;
  }

  /** Resolves with the whole answer, result or error. */
  request(
    method: string,
    params: Record<string, unknown> = {},
    id: string | number = this.#nextId++,
  ): Promise<Message> {
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.answer(id);
  }

  /** The answer to a request that was sent by hand. */
  answer(id: string | number, timeoutMs = 10_000): Promise<Message> {
    return this.waitFor((message) => message.id === id && message.method === undefined, timeoutMs);
  }

  call(name: string, args: Record<string, unknown> = {}, extra: Record<string, unknown> = {}): Promise<Message> {
    return this.request('tools/call', { name, arguments: args, ...extra });
  }

  notify(method: string, params?: Record<string, unknown>): void {
    this.send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
  }

  notifications(method: string): Message[] {
    return this.received.filter((message) => message.method === method && message.id === undefined);
  }

  async toolNames(): Promise<string[]> {
    const { result } = await this.request('tools/list');
    return result.tools.map(({ name }: { name: string }) => name);
  }

  /** The first message for which `isWanted` holds, among those that came and those that will. */
  async waitFor(isWanted: (message: Message) => boolean, timeoutMs = 10_000): Promise<Message> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const found = this.received.find(isWanted);
      if (found !== undefined) return found;
      const left = end - performance.now();
      if (left <= 0) throw new Error(`Nothing came in ${timeoutMs} ms. So far:\n${this.lines.slice(-20).join('\n')}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** As if it closed its end. */
  leave(): void {
    this.#gateway.disconnect(this.#client, new AppError('CONNECTION_CLOSED', 'The client left.'));
  }

  #take(line: string): void {
    this.lines.push(line);
    const parsed: unknown = JSON.parse(line);
    for (const message of Array.isArray(parsed) ? parsed : [parsed]) this.#receive(message);
    const woken = this.#wake;
    this.#wake = [];
    for (const wake of woken) wake();
  }

  #receive(message: Message): void {
    this.received.push(message);
    if (message.method === undefined || message.id === undefined) return;
    const answer = this.onRequest?.(message);
    if (answer !== undefined) queueMicrotask(() => this.send({ jsonrpc: '2.0', id: message.id, ...answer }));
  }
}

export function textOf(message: Outgoing): string {
  if (typeof message === 'string') return message;
  return Buffer.concat(
    message.pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  ).toString();
}
