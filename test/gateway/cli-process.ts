import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { CommandLine } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import type { Message } from './harness.ts';

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The built gateway as a separate process, and a client on its stdin and stdout. */
export class CliProcess {
  readonly pid: number;
  readonly received: Message[] = [];
  /** Resolves when the process has exited and its output has been read. */
  readonly exited: Promise<ProcessExit>;
  stderr = '';
  readonly #process;
  #rest = '';
  #nextId = 1;
  #wake: (() => void)[] = [];

  constructor(
    { command, args }: CommandLine,
    processes: ProcessTracker,
    env: Readonly<Record<string, string>> = {},
    cwd?: string,
  ) {
    this.#process = spawn(command, args, { env: processes.env(env), cwd, stdio: 'pipe' });
    this.pid = this.#process.pid ?? Number.NaN;
    this.#process.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#take(chunk));
    this.#process.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk;
    });
    this.#process.stdin.on('error', () => {});
    this.exited = new Promise((resolve) => {
      this.#process.once('close', (code, signal) => resolve({ code, signal }));
    });
  }

  write(text: string): void {
    this.#process.stdin.write(text);
  }

  send(message: Record<string, unknown>): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request and returns its id. */
  post(method: string, params: Record<string, unknown> = {}): number {
    const id = this.#nextId++;
    this.send({ id, method, params });
    return id;
  }

  request(method: string, params?: Record<string, unknown>): Promise<Message> {
    return this.answer(this.post(method, params));
  }

  call(name: string, args: Record<string, unknown> = {}): Promise<Message> {
    return this.request('tools/call', { name, arguments: args });
  }

  answer(id: number): Promise<Message> {
    return this.waitFor((message) => message.id === id && message.method === undefined);
  }

  /** Initializes the connection, and waits until every server has listed its tools. */
  async initialize(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    this.send({ method: 'notifications/initialized' });
    await this.request('tools/list');
  }

  async waitFor(isWanted: (message: Message) => boolean): Promise<Message> {
    const end = performance.now() + LIMIT_MS;
    for (;;) {
      const found = this.received.find(isWanted);
      if (found !== undefined) return found;
      const leftMs = end - performance.now();
      if (leftMs <= 0) throw new Error(`Timed out after ${LIMIT_MS} ms. stderr:\n${this.stderr.slice(-2_000)}`);
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
    this.#process.stdout.pause();
  }

  readAgain(): void {
    this.#process.stdout.resume();
  }

  endInput(): void {
    this.#process.stdin.end();
  }

  /** Closes both pipes at once, as when a client crashes. */
  hangUp(): void {
    this.#process.stdin.destroy();
    this.#process.stdout.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** The number of bytes that the process has read since its start. */
  bytesRead(): number {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${this.pid}/io`, 'utf8'))?.[1]);
  }

  /** Peak resident memory. */
  peakMib(): number {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]) / 1024;
  }

  #take(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.received.push(JSON.parse(line) as Message);
    const woken = this.#wake;
    this.#wake = [];
    for (const wake of woken) wake();
  }
}

const LIMIT_MS = 30_000;
