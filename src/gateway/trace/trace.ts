import type { Redact } from '../../base/redaction/redact.ts';
import { isJson } from '../../base/text/is-json.ts';
import type { OpenTransport } from '../../upstream/transports/transport.ts';
import { type Frame, frameLength } from '../../wire/frame.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { openTraceFile } from './trace-file.ts';

/**
 * Records every message on both sides of a gateway, one line of JSON per message. Without a trace, nothing is wrapped.
 */
export interface Trace {
  /** Wraps a transport so that its messages are recorded in both directions. */
  tapTransport(serverId: string, open: OpenTransport): OpenTransport;
  /** Returns the tap for one client. Clients are numbered from 1. */
  tapClient(): ClientTap;
  /** Resolves when all lines are written. May be called twice. Never throws. */
  close(): Promise<void>;
}

interface ClientTap {
  send(send: (message: OutgoingMessage) => void): (message: OutgoingMessage) => void;
  receive(receive: (frame: Frame) => void): (frame: Frame) => void;
}

/** The destination of trace lines. */
export interface TraceSink {
  /** False when the sink accepts no more lines. Lines are then not even formatted. */
  readonly isOpen: boolean;
  write(line: string): void;
  close(): Promise<void>;
}

export interface TraceOptions {
  readonly sink: TraceSink;
  /** Masks secrets. */
  readonly redact: Redact;
  /** Default: `Date.now`. */
  readonly now?: () => number;
}

/** Opens a trace in a file that only its owner can read. Throws if the file cannot be written. */
export function openTrace(options: {
  readonly file: string;
  readonly redact: Redact;
  /** Called with the reason if the trace ends before the gateway does. */
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
    tapTransport: (serverId, open) => async (receiver, hints) => {
      const source = `"side":"server","server":${JSON.stringify(serverId)}`;
      const transport = await open(
        {
          ...receiver,
          frame(frame, requestId) {
            record(source, 'in', frame);
            receiver.frame(frame, requestId);
          },
          requestFailed(id, reason, outcome) {
            note(source, `request ${id} failed: ${reason.message}`);
            receiver.requestFailed(id, reason, outcome);
          },
          reportError(error, head) {
            note(source, `left out: ${error.message}`);
            receiver.reportError(error, head);
          },
          end(reason) {
            note(source, `ended: ${reason.message}`);
            receiver.end(reason);
          },
        },
        hints,
      );
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

/** The maximum number of bytes recorded per message. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** Extra bytes that are redacted and then dropped, because a secret cut in two would not be recognized. */
const MARGIN = 8 * 1024;

/** Formats a message as JSON if it is complete and valid, so that programs can parse it, otherwise as text. */
function describe(message: OutgoingMessage | Frame, redact: (text: string) => string): string {
  const bytes = sizeOf(message);
  if (bytes > MAX_MESSAGE_BYTES) {
    const head = redact(textOf(message, MAX_MESSAGE_BYTES + MARGIN)).slice(0, -MARGIN);
    return `"bytes":${bytes},"isShortened":true,"text":${JSON.stringify(head)}`;
  }
  const text = redact(textOf(message, bytes));
  // A message may contain line breaks between members, but a trace line may not.
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
