import type { AppError } from '../../base/errors.ts';

/** Carries JSON-RPC messages as text, one message at a time. Framing and I/O are its business, JSON is not. */
export interface Transport {
  /** Begins to read. Called once. */
  start(receiver: TransportReceiver): void;
  /** Sends one message. Must not throw: a broken connection shows as `end`. */
  send(message: string): void;
  /** Called once, after the last `send`. Resolves when everything sent has been handed over. */
  close(): void | Promise<void>;
}

export interface TransportReceiver {
  message(text: string): void;
  /** A message was left out, for instance because it was too large. */
  fault(error: AppError): void;
  /** The other side will send nothing more: calls under way may still finish. May be called twice. */
  end(): void;
  /** We must stop now: calls under way are aborted. May be called after `end`. */
  stop(): void;
}
