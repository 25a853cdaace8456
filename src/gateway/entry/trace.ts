import type { Redact } from '../../base/redaction/redact.ts';
import { isJson } from '../../base/text/is-json.ts';
import type { OpenTransport } from '../../upstream/transports/transport.ts';
import { type Frame, frameLength } from '../../wire/frame.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { openTraceFile } from './trace-file.ts';

/** Everything that is said on both sides of a gateway, a line of JSON per message. Without one, nothing is wrapped. */
export interface Trace {
  /** Opens the same server; what it says and is told is recorded on the way. */
  tapTransport(serverId: string, open: OpenTransport): OpenTransport;
  /** For one client. Clients are counted from 1. */
  tapClient(): ClientTap;
  /** Resolves when all lines are written. May be called twice, never throws. */
  close(): Promise<void>;
}

interface ClientTap {
  send(send: (message: OutgoingMessage) => void): (message: OutgoingMessage) => void;
  receive(receive: (frame: Frame) => void): (frame: Frame) => void;
}

/** Where lines go. */
export interface TraceSink {
  /** False when it takes no more: then no line is made. */
  readonly isOpen: boolean;
  write(line: string): void;
  close(): Promise<void>;
}

export interface TraceOptions {
  readonly sink: TraceSink;
  /** Takes out what must not appear. */
  readonly redact: Redact;
  /** Default: the system's clock. */
  readonly now?: () => number;
}

/** A trace in a file that only its owner can read. Throws when the file cannot be written. */
export function openTrace(options: {
  readonly file: string;
  readonly redact: Redact;
  /** Told why, when the trace ends before the gateway does. */
  readonly reportError: (text: string) => void;
}): Trace {
  return createTrace({ sink: openTraceFile(options.file, options), redact: options.redact });
}

export function createTrace({ sink, redact, now = Date.now }: TraceOptions): Trace {
  let clients = 0;

  const write = (source: string, body: () => string) => {
    if (sink.isOpen) sink.write(`{"time":"${new Date(now()).toISOString()}",${source},${body()}}`);
  };
  const note = (source: string, text: string) => write(source, () => `"note":${JSON.stringify(redact(text))}`);
  const record = (source: string, direction: 'in' | 'out', message: OutgoingMessage | Frame) =>
    write(source, () => `"direction":"${direction}",${describe(message, redact)}`);

  return {
    tapTransport: (serverId, open) => async (receiver) => {
      const source = `"side":"server","server":${JSON.stringify(serverId)}`;
      const transport = await open({
        ...receiver,
        frame(frame, requestId) {
          record(source, 'in', frame);
          receiver.frame(frame, requestId);
        },
        requestFailed(id, reason) {
          note(source, `request ${id} failed: ${reason.message}`);
          receiver.requestFailed(id, reason);
        },
        reportError(error, head) {
          note(source, `left out: ${error.message}`);
          receiver.reportError(error, head);
        },
        end(reason) {
          note(source, `ended: ${reason.message}`);
          receiver.end(reason);
        },
      });
      note(source, `started: ${transport.where}`);
      return {
        ...transport,
        send(message, request) {
          record(source, 'out', message);
          transport.send(message, request);
        },
      };
    },
    tapClient() {
      const source = `"side":"client","client":${++clients}`;
      return {
        send: (send) => (message) => {
          record(source, 'out', message);
          send(message);
        },
        receive: (receive) => (frame) => {
          record(source, 'in', frame);
          receive(frame);
        },
      };
    },
    close: () => sink.close(),
  };
}

/** So much of one message is kept. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** So much more is looked at, and thrown away again: a secret that is cut in two would not be known any more. */
const MARGIN = 8 * 1024;

/** As JSON where it is whole and still JSON, so that programs can look into it; else as text. */
function describe(message: OutgoingMessage | Frame, redact: (text: string) => string): string {
  const bytes = sizeOf(message);
  if (bytes > MAX_MESSAGE_BYTES) {
    const head = redact(textOf(message, MAX_MESSAGE_BYTES + MARGIN)).slice(0, -MARGIN);
    return `"bytes":${bytes},"isShortened":true,"text":${JSON.stringify(head)}`;
  }
  const text = redact(textOf(message, bytes));
  // Between members a message may have line ends, and a line of ours may not.
  if (isJson(text)) return `"bytes":${bytes},"message":${text.replace(/[\r\n]+/g, ' ')}`;
  return `"bytes":${bytes},"text":${JSON.stringify(text)}`;
}

function sizeOf(message: OutgoingMessage | Frame): number {
  if (typeof message === 'string') return Buffer.byteLength(message);
  return 'pieces' in message ? message.bytes : frameLength(message);
}

function textOf(message: OutgoingMessage | Frame, maxBytes: number): string {
  if (typeof message === 'string') return message.slice(0, maxBytes);
  const head: Buffer[] = [];
  let remainingBytes = maxBytes;
  for (const piece of 'pieces' in message ? message.pieces : message) {
    if (remainingBytes <= 0) break;
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    head.push(bytes.subarray(0, remainingBytes));
    remainingBytes -= bytes.length;
  }
  return Buffer.concat(head).toString();
}
