import { AppError } from '../../src/base/errors.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { outgoingText } from '../../src/wire/json/splice.ts';
import { isObject } from '../../src/wire/messages.ts';
import type { ResponseChecker, SentCall } from './response-checker.ts';
import { SERVER_IDS, type Servers } from './servers.ts';

/** Request details that do not affect how the response is judged. */
export interface CallDetails {
  readonly tool: 'work' | 'read';
  readonly ms: number | undefined;
  /** Padding that makes the request large. */
  readonly ballast: string | undefined;
  readonly wantsProgress: boolean;
  readonly cancelAfterMs: number | undefined;
}

/** How a call ended for its client. */
export type Ending = 'answered' | 'cancelled' | 'left' | 'lost';

interface OpenCall {
  readonly call: SentCall;
  readonly end: (ending: Ending) => void;
}

export interface ChaosClientOptions {
  readonly gateway: Gateway;
  readonly checker: ResponseChecker;
  readonly servers: Servers;
  readonly now: () => number;
  /** The client name in `initialize`. */
  readonly clientName: string;
}

/** One client. Checks that every call gets one response, and that it receives no other client's messages. */
export class ChaosClient {
  readonly name: string;
  progress = 0;
  notifications = 0;
  lists = 0;
  readonly #options: ChaosClientOptions;
  readonly #client: ReturnType<Gateway['connect']>;
  readonly #open = new Map<number, OpenCall>();
  readonly #cancelled = new Set<number>();
  readonly #pendingCallsTo = new Map<string, number>();
  #greeted: () => void = () => {};
  #nextId = 1;
  #isLeaving = false;
  #hasLeft = false;
  #listId: number | undefined;
  /** Servers whose tools must be in the requested list. */
  #expected: readonly string[] = [];

  constructor(name: string, options: ChaosClientOptions) {
    this.name = name;
    this.#options = options;
    this.#client = options.gateway.connect((message) => this.#take(parse(outgoingText(message))));
  }

  async initialize(): Promise<void> {
    const greeted = new Promise<void>((resolve) => {
      this.#greeted = resolve;
    });
    const clientInfo = { name: this.#options.clientName, version: '0.166.0' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    this.#send({ id: 0, method: 'initialize', params });
    await greeted;
    this.#send({ method: 'notifications/initialized' });
    this.#list();
  }

  /** Returns the number of pending calls to this server. */
  pendingCallsTo(server: string): number {
    return this.#pendingCallsTo.get(server) ?? 0;
  }

  call(call: SentCall, { tool, ms, ballast, wantsProgress, cancelAfterMs }: CallDetails): Promise<Ending> {
    const id = this.#nextId++;
    const { n, nonce, habit, bytes, server } = call;
    this.#pendingCallsTo.set(server, this.pendingCallsTo(server) + 1);
    return new Promise((resolve) => {
      const end = (ending: Ending) => {
        this.#open.delete(id);
        this.#pendingCallsTo.set(server, this.pendingCallsTo(server) - 1);
        clearTimeout(timer);
        resolve(ending);
      };
      const timer = cancelAfterMs === undefined ? undefined : setTimeout(() => this.#cancel(id, end), cancelAfterMs);
      this.#open.set(id, { call, end });
      const _meta = wantsProgress ? { _meta: { progressToken: `${this.name}:${id}` } } : {};
      const args = { n, nonce, habit, ms, bytes, ballast };
      this.#send({ id, method: 'tools/call', params: { name: `${server}__${tool}`, arguments: args, ..._meta } });
    });
  }

  /** Disconnects, even with pending calls. No message may arrive afterward. */
  disconnect(): void {
    for (const { end } of [...this.#open.values()]) end('left');
    this.#isLeaving = true;
    this.#options.gateway.disconnect(this.#client, new AppError('CONNECTION_CLOSED', 'The client disconnected.'));
    this.#isLeaving = false;
    this.#hasLeft = true;
  }

  /** Reports calls that have been pending longer than any call may take. */
  reportLostCalls(olderThanMs: number): void {
    for (const { call, end } of [...this.#open.values()]) {
      if (this.#options.now() - call.sentAt < olderThanMs) continue;
      this.#options.checker.violation(`call ${call.n} of ${this.name} to ${call.server} was never answered`);
      end('lost');
    }
  }

  #cancel(id: number, end: OpenCall['end']) {
    this.#cancelled.add(id);
    this.#send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'changed its mind' } });
    end('cancelled');
  }

  #list(): void {
    if (this.#listId !== undefined) return;
    this.#listId = this.#nextId++;
    this.#expected = this.#known();
    this.#send({ id: this.#listId, method: 'tools/list', params: {} });
  }

  #send(message: object): void {
    this.#client.receive([Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))]);
  }

  #take(message: unknown) {
    // A message that arrives while the client disconnects.
    if (this.#isLeaving) return;
    if (this.#hasLeft) return this.#options.checker.violation(`${this.name} received a message after it disconnected`);
    if (!isObject(message))
      return this.#options.checker.violation(`${this.name} received an invalid message: ${message}`);
    if (message['method'] !== undefined) return this.#notified(message['method'], message['params']);
    const id = Number(message['id']);
    if (id === 0) return this.#greeted();
    if (id === this.#listId) return this.#listed(namesIn(message['result']));
    const open = this.#open.get(id);
    if (open === undefined) return this.#unexpected(id);
    open.end('answered');
    this.#answered(open.call, message);
  }

  #answered(call: SentCall, { result, error }: Readonly<Record<string, unknown>>) {
    const { checker, servers } = this.#options;
    if (isObject(error)) return checker.error(call, Number(error['code']), String(error['message']));
    const { content, _meta: meta } = result as { content: [{ text: string }]; _meta?: Record<string, unknown> };
    const [{ text }] = content;
    const failure = meta?.['switchboard/error'];
    if (isObject(failure)) return checker.error(call, Number(failure['code']), text);
    const body = JSON.parse(text);
    servers.answered(call.server, Number(body.version));
    checker.result(call, body, servers.version(call.server));
  }

  /** A cancelled call may have been answered before the cancellation was read: once. */
  #unexpected(id: number) {
    if (!this.#cancelled.delete(id))
      this.#options.checker.violation(`${this.name} received a duplicate or foreign response: ${id}`);
  }

  #listed(names: readonly string[]) {
    this.#listId = undefined;
    this.lists++;
    const known = this.#known();
    const missing = this.#expected.find((id) => known.includes(id) && !names.includes(`${id}__work`));
    if (missing !== undefined)
      this.#options.checker.violation(`the tools of ${missing} were not listed for ${this.name}`);
  }

  #known(): readonly string[] {
    const { servers } = this.#options;
    return SERVER_IDS.filter((id) => servers.isPresent(id) && servers.isKnown(id));
  }

  #notified(method: unknown, params: unknown) {
    this.notifications++;
    if (method === 'notifications/tools/list_changed') return this.#list();
    if (method !== 'notifications/progress') return;
    this.progress++;
    const token = isObject(params) ? String(params['progressToken']) : '';
    const [name, id] = token.split(':');
    if (name === this.name && this.#open.has(Number(id))) return;
    this.#options.checker.violation(`${this.name} received progress for ${token}, which is not pending`);
  }
}

function namesIn(result: unknown): readonly string[] {
  const tools: unknown = isObject(result) ? result['tools'] : undefined;
  return Array.isArray(tools) ? tools.map(({ name }) => String(name)) : [];
}

/** Must not throw into the sender. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(0, 100);
  }
}
