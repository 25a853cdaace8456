import { afterEach } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import type { Environment } from '../../src/config/files/folders.ts';
import { createConfigRedactor } from '../../src/config/secrets/config-redactor.ts';
import type { LoadedConfig, ServerEntry, ToolFilter } from '../../src/config/server-entry.ts';
import { openPinStore } from '../../src/config/trust/pin-store.ts';
import type { Gateway, GatewayLog } from '../../src/gateway/gateway.ts';
import { openEras } from '../../src/gateway/modern/stdio-eras.ts';
import { type AggregateGateway, openAggregateGateway } from '../../src/gateway/open/open-aggregate.ts';
import { openSingleGateway } from '../../src/gateway/open/open-single.ts';
import type { ConfigChange } from '../../src/gateway/servers/apply-config.ts';
import type { GatewayServersOptions } from '../../src/gateway/servers/gateway-servers.ts';
import type { GatewaySettings } from '../../src/gateway/settings.ts';
import type { Trace } from '../../src/gateway/trace/trace.ts';
import type { GatewayView } from '../../src/gateway/views/gateway-view.ts';
import type { Frame } from '../../src/wire/frame.ts';
import type { OutgoingMessage } from '../../src/wire/json/splice.ts';
import { type ProcessTracker, trackProcesses } from '../processes.ts';
import { traceOnFailure } from './trace-on-failure.ts';

/** A message as a test sees it. */
export type Message = Record<string, unknown> & {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect results of every shape
  result?: any;
  error?: { code: number; message: string; data?: Record<string, unknown> };
};

export interface TestServer extends Partial<Omit<ServerEntry, 'id' | 'transport' | 'origin'>> {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly framing?: 'ndjson' | 'content-length';
  readonly cwd?: string;
  readonly envVars?: readonly string[];
  readonly inheritEnv?: boolean;
  /** Transport to use instead of a command. */
  readonly transport?: ServerEntry['transport'];
}

export interface GatewayTestOptions extends Pick<GatewayServersOptions, 'profile' | 'isLazy' | 'cache' | 'poolLimits'> {
  readonly settings?: Partial<GatewaySettings>;
  readonly hasPrefix?: boolean;
  readonly log?: string[];
  /** Views of the config. */
  readonly views?: TestViews;
  /** The servers of connected clients that see only some. */
  readonly clients?: Readonly<Record<string, readonly string[]>>;
  /** Config entries that start no server. */
  readonly unused?: LoadedConfig['servers'];
  /** Added to the environment of the gateway itself. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Views by name, as a config file has them. */
type TestViews = Readonly<Record<string, { servers?: readonly string[]; tools?: Partial<ToolFilter> }>>;

export interface TestGateway<Kind extends Gateway = AggregateGateway> {
  readonly gateway: Kind;
  /** Replaces the servers in the config, and its views if they are given. */
  apply(
    servers: Readonly<Record<string, TestServer>>,
    changed?: Pick<GatewayTestOptions, 'views' | 'clients'>,
  ): ConfigChange;
  /** Opens a client and initializes it. */
  connect(hello?: InitializeOptions, view?: GatewayView): Promise<TestClient>;
  /** Opens a client that has not sent `initialize`. */
  open(): TestClient;
}

export interface GatewayHarness {
  readonly processes: ProcessTracker;
  openGateway(servers: Readonly<Record<string, TestServer>>, options?: GatewayTestOptions): TestGateway;
  /** In front of one command, as `switchboard -- <command>`. */
  openSingle(
    server: Pick<TestServer, 'command' | 'args'>,
    options?: GatewayTestOptions,
  ): Omit<TestGateway<Gateway>, 'apply'>;
}

/**
 * Opens gateways in this process, in front of real server processes. Each is closed when its test ends, and
 * no process of it may be left running. A failing test prints the messages of both sides.
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
  const trace = traceOnFailure();
  const open = new Set<Gateway>();
  // Hooks run in reverse order, so this one runs before the check for leftover processes.
  afterEach(async () => {
    await Promise.all([...open].map((gateway) => gateway.close()));
    open.clear();
  });
  return {
    processes,
    openGateway(servers, options) {
      const opened = openTestGateway({ processes, trace }, servers, options);
      open.add(opened.gateway);
      return opened;
    },
    openSingle({ command, args = [] }, { settings = {}, log = [], profile } = {}) {
      const gateway = openSingleGateway({
        command: [command, ...args],
        cwd: process.cwd(),
        env: processes.env(),
        settings: { ...SETTINGS, ...settings },
        log: logTo(log),
        redactor: createConfigRedactor(environmentWith(processes.env())),
        profile,
        trace,
      });
      open.add(gateway);
      return withClients(gateway, trace);
    },
  };
}

/** Long enough for servers on a busy machine, but shorter than the response timeout of `TestClient`. */
const SETTINGS: GatewaySettings = {
  isErrorPassthrough: false,
  hasSummary: false,
  isDebug: false,
  listTimeoutMs: 25_000,
  isListTimeoutSet: false,
  initTimeoutMs: 25_000,
};

function logTo(log: string[]): GatewayLog {
  return {
    debug: (text) => log.push(text),
    warn: (text) => log.push(text),
    notification: (upstream, { method }) => log.push(`${upstream.id} ${method}`),
  };
}

function environmentWith(env: Readonly<Record<string, string>>): Environment {
  return { cwd: process.cwd(), home: env['HOME'] ?? '/', env, platform: process.platform };
}

function openTestGateway(
  { processes, trace }: { readonly processes: ProcessTracker; readonly trace: Trace },
  servers: Readonly<Record<string, TestServer>>,
  {
    settings = {},
    hasPrefix = true,
    log = [],
    unused = [],
    env: extraEnv = {},
    views,
    clients,
    ...rest
  }: GatewayTestOptions = {},
): TestGateway {
  const env = processes.env(extraEnv);
  const environment = environmentWith(env);
  const toConfig = (
    entries: Readonly<Record<string, TestServer>>,
    changed: Pick<GatewayTestOptions, 'views' | 'clients'> = {},
  ): LoadedConfig => ({
    servers: [...Object.entries(entries).map(([id, server]) => toConfigured(id, server)), ...unused],
    problems: [],
    files: [],
    views: toConfiguredViews(changed.views ?? views, changed.clients ?? clients),
  });
  const config = toConfig(servers);
  const secrets = createConfigRedactor(environment, config);
  const gateway = openAggregateGateway({
    config,
    redactor: secrets,
    environment,
    pins: () => openPinStore(environment),
    ...rest,
    hasPrefix,
    settings: { ...SETTINGS, ...settings },
    log: logTo(log),
    trace,
  });
  secrets.setTokenSource(gateway.tokens);
  return {
    ...withClients(gateway, trace),
    apply: (entries, changed) => gateway.applyConfig(toConfig(entries, changed)),
  };
}

function withClients<Kind extends Gateway>(gateway: Kind, trace: Trace): Omit<TestGateway<Kind>, 'apply'> {
  const open = (view?: GatewayView) => new TestClient(gateway, trace, view);
  const connect = async (hello: InitializeOptions = {}, view?: GatewayView) => {
    const client = open(view);
    await client.initialize(hello);
    return client;
  };
  return { gateway, connect, open };
}

function toConfiguredViews(
  views: TestViews = {},
  clients: Readonly<Record<string, readonly string[]>> = {},
): LoadedConfig['views'] {
  const origin = { layer: 'global', file: '/test/config.json', line: 1 } as const;
  const named = Object.entries(views).map(([name, { servers, tools: { allow, deny = [] } = {} }]) => {
    const limits = [{ servers, tools: { allow, deny } }];
    return [name, { name, origin, verdict: { kind: 'usable', limits }, problems: [] }] as const;
  });
  return { named: new Map(named), clients: new Map(Object.entries(clients)) };
}

function toConfigured(
  id: string,
  { command, args = [], env = {}, framing = 'ndjson', cwd, envVars = [], inheritEnv = false, ...rest }: TestServer,
): LoadedConfig['servers'][number] {
  const origin = { layer: 'global', file: '/test/config.json', line: 1 } as const;
  const entry: ServerEntry = {
    tools: { allow: undefined, deny: [] },
    startupTimeoutMs: undefined,
    requestTimeoutMs: undefined,
    start: 'eager',
    pin: false,
    sharesSignIn: false,
    restart: 'overlap',
    share: 'folder',
    expandsVariables: false,
    transport: { kind: 'stdio', command, args, cwd, env, envVars, inheritEnv, framing },
    ...rest,
    id,
    origin,
  };
  return { id, origin, verdict: { kind: 'usable', entry } };
}

export interface InitializeOptions {
  readonly capabilities?: Record<string, unknown>;
  readonly clientInfo?: Record<string, unknown>;
  readonly protocolVersion?: string;
}

/** A client that sends arbitrary messages and records all received messages in order. */
export class TestClient {
  readonly received: Message[] = [];
  /** Every received line, as text. */
  readonly lines: string[] = [];
  /** Answers server requests. Without it, they get no response. */
  onRequest: ((request: Message) => { result: unknown } | { error: unknown } | undefined) | undefined;
  readonly #client: ReturnType<Gateway['connect']>;
  readonly #gateway: Gateway;
  readonly #deliver: (frame: Frame) => void;
  #wake: (() => void)[] = [];
  #nextId = 1;

  constructor(gateway: Gateway, trace: Trace, view?: GatewayView) {
    const tap = trace.tapClient();
    this.#gateway = gateway;
    const eras = openEras(
      (output) => gateway.connect(output, view),
      tap.send((message) => this.#take(textOf(message))),
    );
    this.#client = eras.client;
    this.#deliver = tap.receive((frame) => eras.receive(frame));
  }

  send(message: unknown): void {
    this.sendLine(typeof message === 'string' ? message : JSON.stringify(message));
  }

  sendLine(line: string | Buffer): void {
    this.#deliver([Buffer.from(line)]);
  }

  async initialize(hello: InitializeOptions = {}): Promise<Message> {
    const answer = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
      ...hello,
    });
    this.notify('notifications/initialized');
    return answer;
  }

  /** Resolves with the complete response, a result or an error. */
  request(
    method: string,
    params: Record<string, unknown> = {},
    id: string | number = this.#nextId++,
  ): Promise<Message> {
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.answer(id);
  }

  /** Resolves with the response to a request that the test sent with `send`. */
  answer(id: string | number, timeoutMs = 30_000): Promise<Message> {
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

  /** Resolves with the first past or future message for which `isWanted` returns true. */
  async waitFor(isWanted: (message: Message) => boolean, timeoutMs = 30_000): Promise<Message> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const found = this.received.find(isWanted);
      if (found !== undefined) return found;
      const left = end - performance.now();
      if (left <= 0) throw new Error(`Timed out after ${timeoutMs} ms. So far:\n${this.lines.slice(-20).join('\n')}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Disconnects as if the client had closed its end. */
  leave(): void {
    this.#gateway.disconnect(this.#client, new AppError('CONNECTION_CLOSED', 'The client disconnected.'));
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

export function textOf(message: OutgoingMessage): string {
  if (typeof message === 'string') return message;
  return Buffer.concat(
    message.pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  ).toString();
}
