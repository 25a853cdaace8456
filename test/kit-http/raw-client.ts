import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A client that sends exactly what a test says, and shows responses unchanged. */
export interface RawClient {
  send(options: RawRequest): Promise<RawResponse>;
  /** Sends a request and returns the response as soon as its headers have arrived. */
  open(options: RawRequest): Promise<OpenResponse>;
  /** Posts a message. */
  post(message: unknown, headers?: Headers): Promise<RawResponse>;
  /** Opens a session, and returns the headers of its requests. */
  initialize(
    options?: InitializeOptions,
  ): Promise<{ readonly session: string; readonly headers: Record<string, string> }>;
  /** Connects without HTTP. */
  connect(): Promise<RawSocket>;
}

type Headers = Readonly<Record<string, string | undefined>>;

interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** `undefined` removes a default header. */
  readonly headers?: Headers;
  readonly body?: string | Buffer;
}

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The message of a JSON response, or the last one of an event stream. */
  readonly message: Message;
  readonly events: readonly Event[];
}

/** A response that is still being received. */
interface OpenResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly response: IncomingMessage;
  /** Resolves with the next event. Rejects at the end of the response. */
  next(): Promise<Event>;
  /** Resolves when the response has ended, with true if it ended properly. */
  readonly ended: Promise<boolean>;
  close(): void;
}

export interface Event {
  readonly id?: string;
  readonly event?: string;
  /** Undefined for an event without data. */
  readonly message?: Message;
  /** For a line that is only a sign of life. */
  readonly isComment?: boolean;
}

export type Message = Readonly<Record<string, unknown>> & {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

interface InitializeOptions {
  readonly version?: string;
  readonly capabilities?: object;
  readonly headers?: Headers;
}

interface RawSocket {
  readonly socket: Socket;
  write(text: string): void;
  /** Resolves with everything that was received, when the connection has ended. */
  readonly received: Promise<string>;
}

const TIMEOUT_MS = 30_000;

export function createRawClient(port: number): RawClient {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());

  const start = ({ method = 'POST', path = '/mcp', headers = {}, body }: RawRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
      const sent = clean({ ...DEFAULTS, ...length, ...headers });
      const outgoing = request({ host: '127.0.0.1', port, method, path, headers: sent, agent }, resolve);
      outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error('no response in time')));
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  const client: RawClient = {
    async send(options) {
      const response = await start(options);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const isStream = response.headers['content-type'] === 'text/event-stream';
      const events = isStream ? text.split('\n\n').filter(Boolean).map(toEvent) : [];
      const message = isStream ? events.findLast((event) => event.message !== undefined)?.message : toMessage(text);
      return { status: response.statusCode ?? 0, headers: response.headers, text, events, message: message ?? {} };
    },
    open: async (options) => readOpen(await start(options)),
    post: (message, headers = {}) =>
      client.send({ headers, body: typeof message === 'string' ? message : JSON.stringify(message) }),
    async initialize({ version = '2025-11-25', capabilities = {}, headers = {} } = {}) {
      const params = { protocolVersion: version, capabilities, clientInfo: { name: 'raw', version: '1' } };
      const response = await client.post({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params }, headers);
      const session = String(response.headers['mcp-session-id']);
      const own = clean({ ...headers, 'mcp-session-id': session, 'mcp-protocol-version': version });
      await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, own);
      return { session, headers: own };
    },
    connect: () => connectRaw(port),
  };
  return client;
}

const DEFAULTS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export function toolCall(id: unknown, name: string, args: object = {}, meta?: object): object {
  const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

/** Writes headers as on the wire, for a test that does not use HTTP itself. */
export function headerLines(headers: Readonly<Record<string, string | number>>): string {
  return Object.entries({ ...DEFAULTS, ...headers })
    .map((pair) => pair.join(': '))
    .join('\r\n');
}

const KEY = 'io.modelcontextprotocol';

/** Returns a request of 2026-07-28 as the options of `send`. */
export function modernRequest(
  id: unknown,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { capabilities = {}, meta = {}, headers = {} }: { capabilities?: object; meta?: object; headers?: Headers } = {},
): RawRequest {
  const envelope = { [`${KEY}/protocolVersion`]: '2026-07-28', [`${KEY}/clientCapabilities`]: capabilities, ...meta };
  const name = params['name'] ?? params['uri'];
  const standard = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    'mcp-name': name === undefined ? undefined : String(name),
  };
  return {
    headers: { ...standard, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } }),
  };
}

function readOpen(response: IncomingMessage): OpenResponse {
  const waiting: { resolve: (event: Event) => void; reject: (error: Error) => void }[] = [];
  const arrived: Event[] = [];
  let rest = '';
  let isOver = false;
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const event of blocks.map(toEvent)) {
      const next = waiting.shift();
      if (next === undefined) arrived.push(event);
      else next.resolve(event);
    }
  });
  const ended = new Promise<boolean>((resolve) => {
    response.on('end', () => resolve(true));
    response.on('error', () => resolve(false));
    response.on('close', () => {
      isOver = true;
      for (const { reject } of waiting.splice(0)) reject(new Error('The response has ended.'));
      resolve(response.complete);
    });
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    response,
    next: () =>
      new Promise((resolve, reject) => {
        const event = arrived.shift();
        if (event !== undefined) return resolve(event);
        if (isOver) return reject(new Error('The response has ended.'));
        const timer = setTimeout(() => reject(new Error('No event in time.')), TIMEOUT_MS);
        waiting.push({
          resolve: (given) => {
            clearTimeout(timer);
            resolve(given);
          },
          reject: (error) => {
            clearTimeout(timer);
            reject(error);
          },
        });
      }),
    ended,
    close: () => response.destroy(),
  };
}

function toEvent(block: string): Event {
  if (block === ':') return { isComment: true };
  const fields = Object.fromEntries(
    block.split('\n').flatMap((line) => {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
  const { data, ...rest } = fields;
  return data === undefined || data === '' ? rest : { ...rest, message: JSON.parse(data) };
}

function toMessage(text: string): Message {
  try {
    return JSON.parse(text);
  } catch {
    // A response without a body.
    return {};
  }
}

async function connectRaw(port: number): Promise<RawSocket> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const received = new Promise<string>((resolve) => {
    const end = () => {
      socket.destroy();
      resolve(text);
    };
    socket.on('end', end);
    socket.on('close', end);
    socket.on('error', end);
  });
  return { socket, write: (chunk) => void socket.write(chunk), received };
}

function clean(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
