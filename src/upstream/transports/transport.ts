import type { AppError } from '../../base/errors.ts';
import type { Redact } from '../../base/redaction/redact.ts';
import type { Frame } from '../../wire/frame.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';

export interface TransportReceiver {
  /** Takes secrets out of what the server said, before any of it is cut or kept. */
  readonly redact: Redact;
  /** `requestId`: it came on the stream of the answer to this request, and belongs to it. */
  frame(frame: Frame, requestId?: number): void;
  /** A message was left out (too large, bad header); reading goes on. `beginning` holds its first bytes, if known. */
  reportError(error: AppError, beginning?: Buffer): void;
  /** The oversized message of the last fault has ended. `ending` holds its last bytes. */
  oversizedEnded?(ending: Buffer): void;
  /** The answer to this request will not come, and this is why; everything else goes on. */
  requestFailed(id: number, reason: AppError): void;
  /** Whether somebody still waits for the answer to this request. */
  isPending(id: number): boolean;
  /** Called once, and last: nothing more will come, and this is why. */
  end(reason: AppError): void;
}

/** What a request is known by, so that nobody has to look into its bytes. */
export interface SentRequest {
  readonly id: number;
  readonly method: string;
  /** It does no harm to do it twice. */
  readonly isIdempotent: boolean;
}

/** A running connection to one server, whatever it runs over. */
export interface UpstreamTransport {
  /** What a person would look for to find the server: a process id, an address. */
  readonly where: string;
  /** `request` says what a message is that wants an answer; all others are notifications and answers. */
  send(message: OutgoingMessage, request?: SentRequest): void;
  /** Nobody waits for the answer to this request any more; the server is told by whoever says so. */
  forget?(id: number): void;
  /** Roughly how many bytes the server has not taken yet. */
  queuedBytes(): number;
  /** Stands for what is sent next; `isUntouched` says that none of it has left us. */
  nextSequence(): number;
  isUnsent(sequence: number): boolean;
  /** The server surely has not worked on it: what must not be done twice may be sent again. */
  isUndelivered?(sequence: number): boolean;
  pause(): void;
  resume(): void;
  /** The last that the server said beside the protocol. */
  stderrTail(): readonly string[];
  /** Its messages come on the stdout of a program, which may print text there by mistake. */
  readonly hasStdout?: true;
  /** Ends the server and everything that it started. May be called twice, never throws. */
  close(): Promise<void>;
}

/** Starts a server or connects to it; rejects when that is not possible. */
export type OpenTransport = (receiver: TransportReceiver) => Promise<UpstreamTransport>;
