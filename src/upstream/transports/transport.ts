import type { AppError } from '../../base/errors.ts';
import type { Frame } from '../../wire/frame.ts';
import type { Outgoing } from '../../wire/splice.ts';

export interface TransportReceiver {
  frame(frame: Frame): void;
  /** A message was left out (too large, bad header); reading goes on. */
  fault(error: AppError): void;
  /** Called once, and last: nothing more will come, and this is why. */
  end(reason: AppError): void;
}

/** A running connection to one server, whatever it runs over. */
export interface UpstreamTransport {
  /** What a person would look for to find the server: a process id, an address. */
  readonly where: string;
  send(message: Outgoing): void;
  /** Roughly how many bytes the server has not taken yet. */
  queuedBytes(): number;
  /** Stands for what is sent next; `isUntouched` says that none of it has left us. */
  mark(): number;
  isUntouched(mark: number): boolean;
  pause(): void;
  resume(): void;
  /** The last that the server said beside the protocol. */
  lastWords(): readonly string[];
  /** Ends the server and everything that it started. May be called twice, never throws. */
  close(): Promise<void>;
}

/** Starts a server or connects to it; rejects when that is not possible. */
export type OpenTransport = (receiver: TransportReceiver) => Promise<UpstreamTransport>;
