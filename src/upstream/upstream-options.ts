import type { AppError } from '../base/errors.ts';
import type { Redactor } from '../base/redaction/redact.ts';
import type { Frame } from '../wire/frame.ts';
import type { JsonRpcMessage } from '../wire/messages.ts';
import type { UpstreamCall } from './connection/call.ts';
import type { StartLimiter } from './lifecycle/start-limiter.ts';
import type { OpenTransport } from './transports/transport.ts';
import type { Upstream } from './upstream.ts';

export interface UpstreamOptions {
  readonly id: string;
  readonly open: OpenTransport;
  /** Knows what the server is given in confidence. */
  readonly redactor: Redactor;
  readonly startLimiter: StartLimiter;
  /** The params of `initialize`, asked for at each start. */
  readonly initializeParams: () => unknown;
  readonly limits?: UpstreamLimits | undefined;
  /** It is not launched before this: another instance of it holds something that there is only once. */
  readonly startAfter?: Promise<void> | undefined;
  /** Whether somebody may have signed in since the server refused us. Cheap: asked all the time. */
  readonly credentialsChanged?: (() => boolean) | undefined;
  /** Whether a person is being waited for, so that its start may take longer. */
  readonly isDeadlinePaused?: (() => boolean) | undefined;
  readonly listener: UpstreamListener;
}

/** How long it may take; what is not given is as usual. */
export interface UpstreamLimits {
  readonly startupTimeoutMs: number | undefined;
  readonly requestTimeoutMs: number | undefined;
}

export interface UpstreamListener {
  stateChanged(upstream: Upstream): void;
  /** Connected, for the first time or again: what it has to know is said before any call reaches it. */
  connected(upstream: Upstream): void;
  /** Whatever it was asked is lost, and so is whatever it asked, be it before it was ready. */
  disconnected(upstream: Upstream): void;
  /** It asks something; because of `call`, where that is known. */
  request(upstream: Upstream, message: JsonRpcMessage, frame: Frame, call: UpstreamCall | undefined): void;
  notification(upstream: Upstream, message: JsonRpcMessage, frame: Frame): void;
  invalidMessage(upstream: Upstream, error: AppError): void;
}
