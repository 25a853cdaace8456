import { AppError, toAppError } from '../../base/errors.ts';
import type { Redactor } from '../../base/redaction/redact.ts';
import { redactError } from '../../base/redaction/redact-error.ts';
import type { Frame } from '../../wire/frame.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { isObject, type JsonRpcMessage, notificationText } from '../../wire/messages.ts';
import { createRelayPeer, type RelayPeer } from '../../wire/relay/relay-peer.ts';
import { MAX_CALL_MS, MAX_CALLS, MAX_QUEUED_BYTES } from '../limits.ts';
import type { OpenHints, OpenTransport, TransportReceiver, UpstreamTransport } from '../transports/transport.ts';
import type { UpstreamCall } from './call.ts';
import { createFormerCallers } from './former-callers.ts';
import { createInvalidOutput, type InvalidOutput } from './invalid-output.ts';
import { toLostCallError, toTimedOutError } from './lost-call.ts';
import { redactErrorResponse, redactNotification } from './redact-messages.ts';

export interface ConnectionReceiver {
  /** Called for a request of the server. `call` is the client call that caused it, if known. */
  request(message: JsonRpcMessage, frame: Frame, call: UpstreamCall | undefined): void;
  /**
   * Called for all notifications except progress, which goes to its call. `call` is the client call on whose response
   * stream it arrived, if known.
   */
  notification(message: JsonRpcMessage, frame: Frame, call: UpstreamCall | undefined): void;
  /** Called when a `tools/call` was rejected or its response was lost. The connection stays open. */
  callFailed?(error: AppError): void;
  /** Called when the server printed something that is not a message. */
  invalidMessage(error: AppError): void;
  /** Called once. `unsent` holds the calls that may be sent again; all other calls have already failed. */
  end(reason: AppError, unsent: readonly UpstreamCall[]): void;
}

export interface ConnectionOptions {
  readonly serverId: string;
  /** Masks the server's secrets. No error, log message or progress of a connection contains them. */
  readonly redactor: Redactor;
}

/** One connection to a server, from launch to exit. */
export class Connection {
  readonly #serverId: string;
  readonly #redactor: Redactor;
  readonly #receiver: ConnectionReceiver;
  /** The origin of a message is the request of ours on whose response stream it arrived, if known. */
  readonly #peer: RelayPeer<UpstreamCall, number | undefined>;
  readonly #invalidOutput: InvalidOutput;
  readonly #formerCallers = createFormerCallers();
  #opening: Promise<void> | undefined;
  #transport: UpstreamTransport | undefined;
  #ended: AppError | undefined;

  constructor({ serverId, redactor }: ConnectionOptions, receiver: ConnectionReceiver) {
    this.#serverId = serverId;
    this.#redactor = redactor;
    this.#receiver = receiver;
    this.#peer = createRelayPeer<UpstreamCall, number | undefined>({
      request: (message, frame, requestId) => receiver.request(message, frame, this.findCall(requestId)),
      notification: (message, frame, requestId) => this.#notification(message, frame, requestId),
      invalidMessage: (error, frame) => this.#invalidOutput.receive(error, frame),
      replaceError: (message, frame) => redactErrorResponse({ message, frame }, redactor),
      expired: (id, call) => this.#timedOut(id, call),
    });
    this.#invalidOutput = createInvalidOutput({
      peer: this.#peer,
      redactor,
      hasStdout: () => this.#transport?.hasStdout === true,
      report: (error) => receiver.invalidMessage(redactError(error, redactor)),
      failCall: (id, error) => this.#failCall(id, error),
      endConnection: (error) => void this.end(error),
    });
  }

  /** Rejects if the server cannot be launched, or if the connection was closed before. */
  open(open: OpenTransport, hints?: OpenHints): Promise<void> {
    this.#opening = this.#open((receiver) => open(receiver, hints));
    return this.#opening;
  }

  async #open(open: OpenTransport): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    const transport = await this.#launch(open, {
      redact: this.#redactor.redact,
      frame: (frame, requestId) => this.#receive(frame, requestId),
      reportError: this.#invalidOutput.skipped,
      oversizedEnded: this.#invalidOutput.oversizedEnded,
      requestFailed: (id, reason, outcome) => this.#failCall(id, redactError(reason, this.#redactor), outcome),
      isPending: (id) => this.#peer.pending.find(id) !== undefined,
      end: (reason) => void this.end(this.#invalidOutput.explainExit(reason)),
    });
    this.#transport = transport;
    // The connection was closed during the launch.
    if (this.#ended !== undefined) await transport.close();
  }

  async #launch(open: OpenTransport, receiver: TransportReceiver): Promise<UpstreamTransport> {
    try {
      return await open(receiver);
    } catch (error) {
      throw redactError(toAppError(error), this.#redactor);
    }
  }

  get where(): string | undefined {
    return this.#transport?.where;
  }

  get pendingCalls(): number {
    return this.#peer.pending.size;
  }

  stderrTail(): readonly string[] {
    return this.#transport?.stderrTail() ?? [];
  }

  /** Returns one sentence about stdout output that is not a message; undefined if there was none. */
  strayOutput(): string | undefined {
    return this.#invalidOutput.describeStray();
  }

  send(message: OutgoingMessage) {
    this.#transport?.send(message);
  }

  notify(method: string, params?: unknown) {
    this.forwardNotification(notificationText(method, params));
  }

  /** Sends a serialized notification. Some servers respond to one, which must not fail the pending calls. */
  forwardNotification(notification: OutgoingMessage) {
    this.send(notification);
    this.#peer.pending.notificationSent();
  }

  /** Sends a call. `leftMs` is its remaining time: it may have been queued until the server was ready. */
  call(call: UpstreamCall, timeoutMs: number, leftMs = timeoutMs) {
    const { pending } = this.#peer;
    const transport = this.#transport;
    if (transport === undefined || this.#ended !== undefined) return call.fail(this.#ended ?? notConnected());
    if (pending.size >= MAX_CALLS) return call.fail(this.#busy(`${MAX_CALLS} calls are pending`));
    if (transport.queuedBytes() > MAX_QUEUED_BYTES) return call.fail(this.#busy('it does not read its input'));
    const id = pending.nextId();
    const sequence = transport.nextSequence();
    call.sent = {
      id,
      sequence,
      acceptedAt: performance.now() - (timeoutMs - leftMs),
      timeoutMs,
      wasExtended: false,
    };
    pending.add(id, call, leftMs);
    const { method } = call;
    transport.send(call.write(id), {
      id,
      sequence,
      method,
      isSafeToResend: call.isIdempotent || method !== 'tools/call',
    });
  }

  /**
   * Cancels a pending call: notifies the server and drops a late response. Returns false if the call is not pending.
   */
  cancel(call: UpstreamCall, reason: string): boolean {
    if (call.sent === undefined || this.#peer.pending.find(call.sent.id) !== call) return false;
    this.#peer.pending.take(call.sent.id);
    this.#formerCallers.add(call.client);
    this.#cancelRequest(call.sent.id, reason);
    return true;
  }

  /** Returns the pending call with this request id. */
  findCall(id: unknown): UpstreamCall | undefined {
    return this.#peer.pending.find(id);
  }

  /** Returns the clients with pending calls. */
  callers(): Set<object> {
    const callers = new Set<object>();
    for (const { client } of this.#peer.pending.all()) if (client !== undefined) callers.add(client);
    return callers;
  }

  /** Returns the clients that gave up calls shortly before: the server may still work for them. */
  formerCallers(): readonly object[] {
    return this.#formerCallers.all();
  }

  pause(): void {
    this.#transport?.pause();
  }

  resume(): void {
    this.#transport?.resume();
  }

  /** Like `close`, for a reason that may quote the server. */
  end(reason: AppError): Promise<void> {
    return this.close(this.#ended ?? redactError(reason, this.#redactor));
  }

  /** Fails all pending calls at once and stops the server. Resolves when it has exited. */
  async close(reason: AppError): Promise<void> {
    if (this.#ended === undefined) {
      this.#ended = reason;
      this.#invalidOutput.close();
      const calls = this.#peer.pending.takeAll();
      const unsent = calls.filter((call) => this.#canResend(call));
      for (const call of calls)
        if (!unsent.includes(call)) call.fail(this.#isUnsent(call) ? reason : toLostCallError(call, reason));
      this.#receiver.end(reason, unsent);
    }
    // A launch in progress must finish before its transport can be closed.
    await this.#opening?.catch(() => {});
    await this.#transport?.close();
  }

  #canResend({ isIdempotent, method, sent }: UpstreamCall): boolean {
    // `initialize` belongs to this connection.
    if (sent === undefined || method === 'initialize') return false;
    if (this.#transport?.isUndelivered?.(sent.sequence) === true) return true;
    return isIdempotent && this.#transport?.isUnsent(sent.sequence) === true;
  }

  #isUnsent({ sent }: UpstreamCall): boolean {
    return sent === undefined || this.#transport?.isUnsent(sent.sequence) !== false;
  }

  #receive(frame: Frame, requestId: number | undefined): void {
    try {
      this.#peer.receive(frame, requestId);
    } catch (error) {
      // An error caused by one server's message ends only that server's connection.
      void this.end(toAppError(error));
    }
  }

  #notification(received: JsonRpcMessage, bytes: Frame, requestId: number | undefined) {
    const { message, frame } = redactNotification({ message: received, frame: bytes }, this.#redactor);
    if (message.method !== 'notifications/progress')
      return this.#receiver.notification(message, frame, this.findCall(requestId));
    const { params } = message;
    const call = isObject(params) ? this.findCall(params['progressToken']) : undefined;
    // Progress for no pending call: late or invalid.
    if (call?.sent === undefined || !isObject(params)) return;
    const leftMs = call.sent.acceptedAt + Math.max(MAX_CALL_MS, call.sent.timeoutMs) - performance.now();
    call.sent.wasExtended = true;
    this.#peer.pending.extendDeadline(call.sent.id, Math.min(call.sent.timeoutMs, leftMs));
    call.progress(params, frame);
  }

  #failCall(id: number, error: AppError, outcome?: 'unknown'): void {
    const call = this.#peer.pending.take(id);
    if (call?.method === 'tools/call') this.#receiver.callFailed?.(error);
    call?.fail(outcome === 'unknown' ? toLostCallError(call, error) : error);
  }

  #timedOut(id: number, call: UpstreamCall) {
    const { timeoutMs = MAX_CALL_MS, acceptedAt = 0, wasExtended = false } = call.sent ?? {};
    if (call.isDeadlinePaused()) {
      if (call.sent !== undefined) call.sent.wasExtended = true;
      return this.#peer.pending.add(id, call, timeoutMs);
    }
    // Deadlines are polled, so report the configured limit, not the time of the poll.
    const within = formatDuration(wasExtended ? performance.now() - acceptedAt : timeoutMs);
    const message = `${this.#serverId} did not answer ${call.method} within ${within}.`;
    const error = this.#isUnsent(call) ? new AppError('TIMED_OUT', message) : toTimedOutError(call, message);
    // The protocol forbids cancelling `initialize`.
    if (call.method !== 'initialize') this.#cancelRequest(id, 'timed out');
    this.#formerCallers.add(call.client);
    call.fail(error);
  }

  #cancelRequest(requestId: number, reason: string): void {
    this.notify('notifications/cancelled', { requestId, reason });
    this.#transport?.forget?.(requestId);
  }

  #busy(why: string): AppError {
    return new AppError('BUSY', `${this.#serverId} is busy: ${why}. Try again in a moment.`);
  }
}

function formatDuration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}

function notConnected(): AppError {
  return new AppError('CONNECTION_CLOSED', 'The server is not connected.');
}
