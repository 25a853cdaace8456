import type { Message } from '../gateway/harness.ts';
import { envelope } from './envelope.ts';

/** One POST: the messages before the response, and the response itself. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly messages: readonly Message[];
  /** The last message, if it answers the request. */
  readonly response: Message | undefined;
}

export type OnRequest = (request: Message) => Record<string, unknown> | undefined;

export interface ExchangeOptions {
  readonly id?: string | number;
  readonly meta?: object;
  readonly signal?: AbortSignal;
  /** Answers server requests on this exchange. Default: the one of the client. */
  readonly onRequest?: OnRequest;
}

/** A client that writes HTTP itself, and so can do everything that a client must not do. */
export class RawClient {
  readonly url: string;
  readonly era: 'legacy' | 'modern';
  sessionId: string | undefined;
  /** The capabilities in the envelope. */
  capabilities: Record<string, unknown> = {};
  /** Further headers of each request. */
  headers: Record<string, string> = {};
  /** Answers server requests of the legacy era. */
  onRequest: OnRequest = () => undefined;
  /** Called with each message as it arrives. */
  onMessage: (message: Message) => void = () => {};
  #nextId = 1;

  constructor(url: string, era: 'legacy' | 'modern') {
    this.url = url;
    this.era = era;
  }

  /** Opens a legacy session. */
  async initialize(capabilities: Record<string, unknown> = {}, clientInfo = { name: 'raw', version: '1' }) {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
    const opened = await this.post({ id: 0, method: 'initialize', params });
    this.sessionId = opened.headers.get('mcp-session-id') ?? undefined;
    await this.post({ method: 'notifications/initialized' });
    return opened;
  }

  /** Sends a request of the client's era and resolves with its response. */
  async request(method: string, params: Record<string, unknown> = {}, options: ExchangeOptions = {}): Promise<Message> {
    const { response, status } = await this.exchange(method, params, options);
    if (response === undefined) throw new Error(`HTTP ${status} without a response to ${method}`);
    return response;
  }

  /** Like `request`, and resolves with everything that came back. */
  exchange(
    method: string,
    params: Record<string, unknown> = {},
    { id = this.#nextId++, meta = {}, ...options }: ExchangeOptions = {},
  ): Promise<RawResponse> {
    const isModern = this.era === 'modern';
    const whole = { ...(isModern ? envelope(this.capabilities) : {}), ...meta };
    const _meta = Object.keys(whole).length === 0 ? {} : { _meta: whole };
    return this.post({ id, method, params: { ...params, ..._meta } }, options);
  }

  call(name: string, args: Record<string, unknown> = {}, options: ExchangeOptions = {}) {
    return this.request('tools/call', { name, arguments: args }, options);
  }

  async post(
    message: Record<string, unknown>,
    { signal, onRequest = this.onRequest }: Pick<ExchangeOptions, 'signal' | 'onRequest'> = {},
  ): Promise<RawResponse> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { ...this.#headersFor(message), ...this.headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      ...(signal === undefined ? {} : { signal }),
    });
    const messages: Message[] = [];
    const take = (received: Message) => {
      messages.push(received);
      this.onMessage(received);
      if (received.method === undefined || received.id === undefined) return;
      const answer = onRequest(received);
      if (answer !== undefined) void this.post({ id: received.id, ...answer });
    };
    await readMessages(response, take);
    const last = messages.at(-1);
    const isAnswer = last !== undefined && last.method === undefined;
    return { status: response.status, headers: response.headers, messages, response: isAnswer ? last : undefined };
  }

  /** Opens the stream of the server. Resolves when it is open; messages go to `onMessage` until `signal` aborts. */
  async listen(signal: AbortSignal): Promise<{ readonly status: number; readonly ended: Promise<void> }> {
    const response = await fetch(this.url, {
      headers: { accept: 'text/event-stream', ...this.#sessionHeaders(), ...this.headers },
      signal,
    });
    // Aborting the signal ends the stream.
    const ended = readMessages(response, (message) => this.onMessage(message)).catch(() => {});
    return { status: response.status, ended };
  }

  async end(): Promise<number> {
    const headers = { ...this.#sessionHeaders(), ...this.headers };
    return (await fetch(this.url, { method: 'DELETE', headers })).status;
  }

  #headersFor({ method, params }: Record<string, unknown>): Record<string, string> {
    const accept = 'application/json, text/event-stream';
    const common = { 'content-type': 'application/json', accept, ...this.#sessionHeaders() };
    if (this.era === 'legacy') return common;
    const { name, uri, taskId } = (params ?? {}) as Record<string, unknown>;
    const target = method === 'resources/read' ? uri : String(method).startsWith('tasks/') ? taskId : name;
    return {
      ...common,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': String(method),
      ...(typeof target === 'string' ? { 'mcp-name': target } : {}),
    };
  }

  #sessionHeaders(): Record<string, string> {
    if (this.sessionId === undefined) return {};
    return { 'mcp-session-id': this.sessionId, 'mcp-protocol-version': '2025-11-25' };
  }
}

async function readMessages(response: Response, take: (message: Message) => void): Promise<void> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    const text = await response.text();
    if (text !== '') take(JSON.parse(text));
    return;
  }
  let buffered = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    buffered += decoder.decode(chunk, { stream: true });
    const events = buffered.split('\n\n');
    buffered = events.pop() ?? '';
    for (const event of events) {
      const data = event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n');
      if (data !== '') take(JSON.parse(data));
    }
  }
}
