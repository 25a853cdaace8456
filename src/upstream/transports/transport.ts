import type { AppError } from '../../base/errors.ts';
import type { Redact } from '../../base/redaction/redact.ts';
import type { Frame } from '../../wire/frame.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';

export interface TransportReceiver {
  /** Masks secrets in server output, before any of it is truncated or stored. */
  readonly redact: Redact;
  /** `requestId` is set if the frame arrived on the response stream of this request. */
  frame(frame: Frame, requestId?: number): void;
  /**
   * Called when a message was skipped (too large, bad header); reading continues. `beginning` holds its first bytes, if
   * known.
   */
  reportError(error: AppError, beginning?: Buffer): void;
  /** Called when the last oversized message has ended. `ending` holds its last bytes. */
  oversizedEnded?(ending: Buffer): void;
  /**
   * Called when no response to this request will arrive; the connection stays open. `outcome` is set if the request was
   * sent, so that the server may have processed it.
   */
  requestFailed(id: number, reason: AppError, outcome?: 'unknown'): void;
  /** Returns whether this request is still pending. */
  isPending(id: number): boolean;
  /** Called once, as the last call: no more frames will arrive. */
  end(reason: AppError): void;
}

/** Request metadata, so that no transport has to parse the message. */
export interface SentRequest {
  readonly id: number;
  /** The number that `nextSequence` returned for this request. */
  readonly sequence: number;
  readonly method: string;
  /** Running the request twice does no harm. */
  readonly isSafeToResend: boolean;
}

/** An open connection to one server, over any transport. */
export interface UpstreamTransport {
  /** How a person can find the server: a process id or an address. */
  readonly where: string;
  /** Sends a message. `request` is set for requests; without it the message is a notification or a response. */
  send(message: OutgoingMessage, request?: SentRequest): void;
  /** Drops a request whose response is no longer needed. The caller notifies the server. */
  forget?(id: number): void;
  /** Returns the approximate number of bytes that the server has not read yet. */
  queuedBytes(): number;
  /** Returns the sequence number of the next message. `isUnsent` returns true if no byte of that message was sent. */
  nextSequence(): number;
  isUnsent(sequence: number): boolean;
  /** Returns true if the server has not processed the message, so even a non-idempotent request may be sent again. */
  isUndelivered?(sequence: number): boolean;
  pause(): void;
  resume(): void;
  /** Returns the last lines of stderr. */
  stderrTail(): readonly string[];
  /** Messages arrive on the stdout of a program, which may print text there by mistake. */
  readonly hasStdout?: true;
  /** Stops the server and all its child processes. May be called twice; never throws. */
  close(): Promise<void>;
}

/** What is known about a server before it is opened. */
export interface OpenHints {
  /** The server was modern when it last ran. */
  readonly isModernExpected?: boolean;
}

/** Starts a server or connects to it; rejects if that fails. */
export type OpenTransport = (receiver: TransportReceiver, hints?: OpenHints) => Promise<UpstreamTransport>;
