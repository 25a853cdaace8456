import type { AppError } from '../../src/base/errors.ts';
import { AppError as Failure } from '../../src/base/errors.ts';
import { createRedactor } from '../../src/base/redaction/redact.ts';
import type { UpstreamCall } from '../../src/upstream/connection/call.ts';
import { noStartLimit } from '../../src/upstream/lifecycle/start-limiter.ts';
import type { OpenTransport, TransportReceiver } from '../../src/upstream/transports/transport.ts';
import { Upstream } from '../../src/upstream/upstream.ts';
import type { UpstreamListener } from '../../src/upstream/upstream-options.ts';
import { type Frame, frameText } from '../../src/wire/frame.ts';
import type { JsonRpcMessage } from '../../src/wire/messages.ts';
import { textOf } from '../gateway/harness.ts';

export type Json = Record<string, unknown>;

/** One run of an in-memory server. It has no process, so the test can use a fake clock. */
export interface ServerRun {
  /** Every received message, in order. */
  readonly received: Json[];
  /** When it was started. */
  readonly at: number;
  isClosed: boolean;
  isPaused: boolean;
  /** Bytes that the server has not read yet. */
  queuedBytes: number;
  /** Messages with a sequence number above this one were never delivered. */
  handedOver: number;
  /** Its output on stderr. */
  readonly words: string[];
  say(message: Json | string): void;
  answer(id: unknown, result?: unknown): void;
  /** Makes the server exit. */
  fall(lastLine?: string): void;
}

export interface ScriptedOptions {
  /** Handles a message. Default: answers `initialize`, and calls of `echo` with their arguments. */
  readonly onMessage?: (message: Json, life: ServerRun) => void;
  /** Throws for a program that cannot be started. */
  readonly onStart?: () => void;
}

/** A scripted server behind the transport interface of an upstream. */
function scriptedServer({ onMessage = behave, onStart = () => {} }: ScriptedOptions = {}) {
  const lives: ServerRun[] = [];
  const open: OpenTransport = async (receiver) => {
    onStart();
    const life = createServerRun(receiver);
    lives.push(life);
    return {
      where: `life ${lives.length}`,
      send(message) {
        const received = JSON.parse(textOf(message)) as Json;
        life.received.push(received);
        onMessage(received, life);
      },
      queuedBytes: () => life.queuedBytes,
      nextSequence: () => life.received.length,
      isUnsent: (mark) => mark > life.handedOver,
      pause: () => {
        life.isPaused = true;
      },
      resume: () => {
        life.isPaused = false;
      },
      stderrTail: () => life.words,
      async close() {
        life.isClosed = true;
      },
    };
  };
  return { open, lives };
}

/** Answers `initialize` and echoes calls. */
export function behave(message: Json, life: ServerRun): void {
  if (message['method'] === 'initialize') life.answer(message['id'], INITIALIZE_RESULT);
  if (message['method'] === 'tools/call') life.answer(message['id'], message['params']);
}

const INITIALIZE_RESULT = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'scripted' },
};

function createServerRun(receiver: TransportReceiver): ServerRun {
  const say = (message: Json | string) => {
    const frame: Frame = [Buffer.from(typeof message === 'string' ? message : JSON.stringify(message))];
    if (!life.isClosed) receiver.frame(frame);
  };
  const life: ServerRun = {
    received: [],
    at: performance.now(),
    isClosed: false,
    isPaused: false,
    queuedBytes: 0,
    handedOver: Number.POSITIVE_INFINITY,
    words: [],
    say,
    answer: (id, result = {}) => queueMicrotask(() => say({ jsonrpc: '2.0', id, result })),
    fall: (lastLine = 'ouch') =>
      receiver.end(new Failure('PROCESS_EXITED', `it ended: ${lastLine}`, { data: { lastLine } })),
  };
  return life;
}

/** An upstream for this server, and a record of its events. */
export function openUpstream(
  options: ScriptedOptions & { readonly startupTimeoutMs?: number; readonly requestTimeoutMs?: number } = {},
) {
  const { open, lives } = scriptedServer(options);
  const { startupTimeoutMs, requestTimeoutMs } = options;
  const events: string[] = [];
  const note = (event: string) => void events.push(event);
  const listener: UpstreamListener = {
    stateChanged: ({ state }) => note(state.kind),
    connected: () => note('connected'),
    disconnected: () => note('disconnected'),
    request: (_, { method }) => note(`request ${String(method)}`),
    notification: (_, { method }) => note(`notification ${String(method)}`),
    invalidMessage: (_, { code }) => note(`unreadable ${code}`),
  };
  const upstream = new Upstream({
    id: 'one',
    open,
    redactor: createRedactor([]),
    startLimiter: noStartLimit,
    initializeParams: () => ({ capabilities: {} }),
    limits: { startupTimeoutMs, requestTimeoutMs },
    listener,
  });
  const life = (number: number): ServerRun => {
    const found = lives[number - 1];
    if (found === undefined) throw new Error(`The server has had only ${lives.length} runs.`);
    return found;
  };
  return { upstream, lives, life, events };
}

export interface TestCall extends UpstreamCall {
  /** The result, or the code and message of the error; undefined while the call is pending. */
  outcome: { result: unknown } | { code: string; message: string } | undefined;
  readonly progressed: unknown[];
}

/** A client's call, with its outcome. Throws if it is settled twice. */
export function createCall(
  options: Partial<Pick<UpstreamCall, 'isIdempotent' | 'bytes' | 'isDeadlinePaused'>> & { name?: string } = {},
): TestCall {
  const settle = (outcome: NonNullable<TestCall['outcome']>) => {
    if (call.outcome !== undefined) throw new Error('A call was settled twice.');
    call.outcome = outcome;
  };
  const call: TestCall = {
    method: 'tools/call',
    timeoutMs: undefined,
    isIdempotent: false,
    bytes: 100,
    isDeadlinePaused: () => false,
    sent: undefined,
    ...options,
    write: (id) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: options.name ?? 'echo' } }),
    outcome: undefined,
    progressed: [],
    result: ({ frame }) => settle({ result: (JSON.parse(frameText(frame)) as { result: unknown }).result }),
    response: (message: JsonRpcMessage) => settle({ result: message }),
    progress: ({ progress }) => void call.progressed.push(progress),
    fail: ({ code, message }: AppError) => settle({ code, message }),
  };
  return call;
}
