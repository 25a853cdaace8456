import type { AppError } from '../base/errors.ts';
import type { Redactor } from '../base/redaction/redact.ts';
import type { Frame } from '../wire/frame.ts';
import type { JsonRpcMessage } from '../wire/messages.ts';
import type { UpstreamCall } from './connection/call.ts';
import type { History } from './lifecycle/history.ts';
import type { StartLimiter } from './lifecycle/start-limiter.ts';
import type { OpenTransport } from './transports/transport.ts';
import type { Upstream } from './upstream.ts';

export interface UpstreamOptions {
  readonly id: string;
  readonly open: OpenTransport;
  /** Masks the secrets that are passed to the server. */
  readonly redactor: Redactor;
  readonly startLimiter: StartLimiter;
  /** Returns the params of `initialize`. Called at each start. */
  readonly initializeParams: () => unknown;
  readonly limits?: UpstreamLimits | undefined;
  /** The history to add to, if several processes of a server have a common one. Default: a new one. */
  readonly history?: History | undefined;
  /** Delays the launch until it resolves, because another instance of the server still holds an exclusive resource. */
  readonly startAfter?: Promise<void> | undefined;
  /** Returns whether someone may have signed in since the server rejected us. Cheap, because it is polled. */
  readonly credentialsChanged?: (() => boolean) | undefined;
  /** Returns true while the start waits for a person, which extends its timeout. */
  readonly isDeadlinePaused?: (() => boolean) | undefined;
  readonly listener: UpstreamListener;
}

/** Timeouts of one server. Undefined values use the defaults. */
export interface UpstreamLimits {
  readonly startupTimeoutMs: number | undefined;
  readonly requestTimeoutMs: number | undefined;
}

export interface UpstreamListener {
  stateChanged(upstream: Upstream): void;
  /** Called after each connect, before queued calls are sent, so the server can be configured first. */
  connected(upstream: Upstream): void;
  /**
   * Called when the connection ends, even before the server was ready. Pending requests in both directions are lost.
   */
  disconnected(upstream: Upstream): void;
  /** Called for a request of the server. `call` is the client call that caused it, if known. */
  request(upstream: Upstream, message: JsonRpcMessage, frame: Frame, call: UpstreamCall | undefined): void;
  /** Called for a notification. `call` is the client call on whose response stream it arrived, if known. */
  notification(upstream: Upstream, message: JsonRpcMessage, frame: Frame, call: UpstreamCall | undefined): void;
  invalidMessage(upstream: Upstream, error: AppError): void;
}
