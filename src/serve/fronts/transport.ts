import type { AppError } from '../../base/errors.ts';

/** Transports JSON-RPC messages as text, one message at a time. Handles framing and I/O, but not JSON. */
export interface Transport {
  /** Starts reading. Called once. */
  start(receiver: TransportReceiver): void;
  /** Sends one message. Must not throw: a broken connection is reported as `end`. */
  send(message: string): void;
  /** Called once, after the last `send`. Resolves when everything sent has been written. */
  close(): void | Promise<void>;
}

export interface TransportReceiver {
  message(text: string): void;
  /** Called when a message was dropped, for example because it was too large. */
  fault(error: AppError): void;
  /** Called when the peer sends no more messages. Pending calls may still finish. May be called twice. */
  end(): void;
  /** Called when the server must stop now. Pending calls are aborted. May be called after `end`. */
  stop(): void;
}
