import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach } from 'vitest';
import type { RunningInstance } from '../../src/control/socket/running-instances.ts';
import { proofFor } from '../control/attach-request.ts';
import type { Message } from './harness.ts';

/** Opens connections to the control sockets of gateways. All are closed after each test. */
export function useAttached(): (
  running: RunningInstance,
  server: string,
  hello?: InitializeOptions,
) => Promise<AttachedClient> {
  const open: AttachedClient[] = [];
  afterEach(() => {
    for (const client of open.splice(0)) client.leave();
  });
  return async (running, server, { capabilities = {}, isUngreeted = false } = {}) => {
    const client = new AttachedClient(createConnection(running.address));
    open.push(client);
    const proof = proofFor(running.address, await client.request('mcp.attach', { server }));
    await client.request('mcp.attach', { server, proof });
    if (isUngreeted) return client;
    const clientInfo = { name: 'attached', version: '1' };
    await client.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
    client.send({ method: 'notifications/initialized' });
    return client;
  };
}

interface InitializeOptions {
  readonly capabilities?: Record<string, unknown>;
  readonly isUngreeted?: boolean;
}

const LIMIT_MS = 30_000;

/** A client of one server of a gateway. Records all received messages in order. */
export class AttachedClient {
  readonly received: Message[] = [];
  /** Resolves when the connection has closed. */
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  #nextId = 1;
  #wake: (() => void)[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {});
    this.ended = new Promise((resolve) => socket.once('close', () => resolve()));
    createInterface({ input: socket }).on('line', (line) => this.#take(line));
  }

  send(message: Record<string, unknown>): void {
    this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  request(method: string, params: Record<string, unknown> = {}, id = this.#nextId++): Promise<Message> {
    this.send({ id, method, params });
    return this.answer(id);
  }

  call(name: string, args: Record<string, unknown> = {}): Promise<Message> {
    return this.request('tools/call', { name, arguments: args });
  }

  answer(id: number): Promise<Message> {
    return this.waitFor((message) => message.id === id && message.method === undefined);
  }

  async waitFor(isWanted: (message: Message) => boolean): Promise<Message> {
    const end = performance.now() + LIMIT_MS;
    for (;;) {
      const found = this.received.find(isWanted);
      if (found !== undefined) return found;
      const leftMs = end - performance.now();
      if (leftMs <= 0) throw new Error(`Timed out after ${LIMIT_MS} ms. So far: ${JSON.stringify(this.received)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Stops reading, like a client that does not consume its input. */
  stopReading(): void {
    this.#socket.pause();
  }

  leave(): void {
    this.#socket.destroy();
  }

  #take(line: string): void {
    this.received.push(JSON.parse(line) as Message);
    const woken = this.#wake;
    this.#wake = [];
    for (const wake of woken) wake();
  }
}
