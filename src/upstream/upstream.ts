import { AppError, toAppError } from '../base/errors.ts';
import type { OutgoingMessage } from '../wire/json/splice.ts';
import { MODERN_VERSION } from '../wire/protocol-versions.ts';
import type { StartFailure } from './catalog-cache/failure-cache.ts';
import type { UpstreamCall } from './connection/call.ts';
import { Connection } from './connection/connection.ts';
import { handshake } from './connection/handshake.ts';
import { OwnRequest, type OwnResponse } from './connection/own-request.ts';
import { type CallQueue, createCallQueue, type QueuedCall } from './lifecycle/call-queue.ts';
import { createHistory, type History } from './lifecycle/history.ts';
import { describeStartFailure } from './lifecycle/start-failure.ts';
import type { StartSlot } from './lifecycle/start-limiter.ts';
import { Supervisor } from './lifecycle/supervisor.ts';
import { CALL_TIMEOUT_MS, STARTUP_TIMEOUT_MS } from './limits.ts';
import type { InitializeResult, UpstreamState } from './state.ts';
import type { UpstreamLimits, UpstreamOptions } from './upstream-options.ts';

/** One server across restarts: forwards calls to its connection, or queues them until it is ready. */
export class Upstream {
  readonly id: string;
  readonly history: History;
  /**
   * Why the last start, in this run or an earlier one, produced no tool list. While it is set, no list request waits.
   */
  startFailure: StartFailure | undefined;
  readonly #options: UpstreamOptions;
  readonly #supervisor: Supervisor;
  readonly #callQueue: CallQueue;
  #connection: Connection | undefined;
  #initializeResult: InitializeResult | undefined;
  #isPaused = false;
  /** The server was modern at its last start, in this run or an earlier one. */
  #isModernExpected = false;
  #limits: UpstreamLimits | undefined;
  #ownRequests = 0;
  #stderrTail: readonly string[] = [];
  #strayOutput: string | undefined;
  /** Resolves when the processes that were put to sleep have exited. Undefined if there were none. */
  #asleep: Promise<void> | undefined;
  /** Receives the calls that did not reach this server while it was drained. */
  #successor: Upstream | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.id = options.id;
    this.history = options.history ?? createHistory();
    this.#limits = options.limits;
    this.#callQueue = createCallQueue(options.id);
    const { id, startLimiter, startAfter, credentialsChanged, listener } = options;
    this.#supervisor = new Supervisor({
      ...{ id, startLimiter, startAfter, credentialsChanged },
      connect: () => void this.#connect(),
      stateChanged: () => listener.stateChanged(this),
    });
  }

  get state(): UpstreamState {
    return this.#supervisor.state;
  }

  /** The `initialize` result of the last connection, possibly from an earlier run. */
  get initializeResult(): InitializeResult | undefined {
    return this.#initializeResult;
  }

  get requestTimeoutMs(): number {
    return this.#limits?.requestTimeoutMs ?? CALL_TIMEOUT_MS;
  }

  /** Pending client calls. Excludes our own requests such as `initialize`: losing them affects no client. */
  get pendingCalls(): number {
    if (this.state.kind !== 'ready') return 0;
    return Math.max(0, (this.#connection?.pendingCalls ?? 0) - this.#ownRequests);
  }

  /** Whether calls are pending, or wait for the server to start. */
  get hasCalls(): boolean {
    return this.pendingCalls > 0 || !this.#callQueue.isEmpty();
  }

  get restarts(): number {
    return this.#supervisor.restarts;
  }

  /** Reason of the last failure; undefined once the server is ready again. */
  get lastFailure(): AppError | undefined {
    return this.#supervisor.lastFailure;
  }

  get where(): string | undefined {
    return this.#connection?.where;
  }

  /**
   * Returns the stderr tail of this connection, or of the previous one until this one has output. A restart must not
   * hide the cause of the crash.
   */
  stderrTail(): readonly string[] {
    const stderrTail = this.#connection?.stderrTail() ?? [];
    return stderrTail.length > 0 ? stderrTail : this.#stderrTail;
  }

  /**
   * Returns one sentence about text on stdout, from this connection or the previous one; undefined if there is none.
   */
  strayOutput(): string | undefined {
    return this.#connection?.strayOutput() ?? this.#strayOutput;
  }

  /** Restores the result of an earlier run. The result of a live connection takes precedence. */
  restoreInitializeResult(initializeResult: InitializeResult): void {
    if (this.#initializeResult !== undefined) return;
    this.#initializeResult = initializeResult;
    this.#isModernExpected = isModern(initializeResult);
  }

  /** Sets the limits of calls and starts that begin after this. */
  setLimits(limits: UpstreamLimits): void {
    this.#limits = limits;
  }

  start(): void {
    this.#supervisor.start();
  }

  /** Marks the server idle in place of `start`. The first demand starts it. */
  stayIdle(): void {
    this.#supervisor.stayIdle();
  }

  /** Reverses `stayIdle`, because `start` follows soon. */
  leaveIdle(): void {
    this.#supervisor.leaveIdle();
  }

  /** Starts a server that is idle or waits for its restart backoff, unless it failed too often. */
  startOnDemand(): void {
    this.#supervisor.startOnDemand();
  }

  /** Sends the call, now or when the server is ready. Starts a server that is idle or waits for its restart backoff. */
  call(call: UpstreamCall, leftMs = call.timeoutMs ?? this.requestTimeoutMs) {
    const timeoutMs = call.timeoutMs ?? this.requestTimeoutMs;
    if (this.state.kind === 'ready' && this.#connection !== undefined) {
      return this.#connection.call(call, timeoutMs, leftMs);
    }
    const rejection = this.rejectionReason();
    if (rejection !== undefined) return call.fail(rejection);
    if (!this.#callQueue.add(call, leftMs)) {
      return call.fail(
        new AppError(
          'BUSY',
          `${this.id} is starting, and too many calls are already waiting for it. Try again in a moment.`,
        ),
      );
    }
    this.#supervisor.prioritize();
    this.startOnDemand();
  }

  /** Cancels a call whose response is no longer needed. Returns whether the server may have received it. */
  cancel(call: UpstreamCall, reason: string): boolean {
    return !this.#callQueue.remove(call) && this.#connection?.cancel(call, reason) === true;
  }

  /** Sends a request of our own. */
  async request(method: string, params: unknown, timeoutMs = this.requestTimeoutMs): Promise<OwnResponse> {
    const request = new OwnRequest(method, params, { timeoutMs, acceptsAnyDepth: true });
    this.#ownRequests++;
    this.call(request);
    try {
      return await request.completed;
    } finally {
      this.#ownRequests--;
    }
  }

  /** Notifies the server if it is ready. Otherwise the `connected` listener sends the current state later. */
  notify(method: string, params?: unknown): void {
    if (this.state.kind === 'ready') this.#connection?.notify(method, params);
  }

  /** Forwards a client's notification if the server is ready. */
  forwardNotification(notification: OutgoingMessage): void {
    if (this.state.kind === 'ready') this.#connection?.forwardNotification(notification);
  }

  /** Responds to a request of the server, which may send requests before it is ready. */
  respond(message: OutgoingMessage): void {
    this.#connection?.send(message);
  }

  findCall(id: unknown): UpstreamCall | undefined {
    return this.#connection?.findCall(id);
  }

  /** Returns the clients with pending calls. */
  callers(): Set<object> {
    return this.#connection?.callers() ?? new Set();
  }

  /** Returns the clients that gave up calls shortly before: the server may still work for them. */
  formerCallers(): readonly object[] {
    return this.#connection?.formerCallers() ?? [];
  }

  /** Stops reading from the server until `resume`, across restarts. */
  pause(): void {
    this.#isPaused = true;
    this.#connection?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#connection?.resume();
  }

  /**
   * Lets the server finish its pending calls and starts nothing new. Queued calls, and calls that turn out not to have
   * reached the server, move to the successor. Queued calls that cannot move fail with `reason`.
   */
  drain(reason: AppError, successor?: Upstream): void {
    this.#supervisor.drain();
    this.#successor = successor;
    for (const queued of this.#callQueue.takeAll()) this.#moveToSuccessor(queued, reason);
  }

  /**
   * Stops the process and becomes idle: the next call starts a new one. Pending calls fail. Resolves when the process has
   * exited.
   */
  async sleep(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || this.isStopping) return;
    this.#connection = undefined;
    this.#stderrTail = [];
    this.#supervisor.sleep();
    this.#options.listener.disconnected(this);
    this.#asleep = Promise.all([this.#asleep, connection.close(this.#stopReason())]).then(() => {});
    await this.#asleep;
  }

  /** Fails all calls at once. Resolves when the server and all its child processes have exited. */
  async close(): Promise<void> {
    this.#supervisor.close();
    const reason = this.#stopReason();
    for (const { call } of this.#callQueue.takeAll()) call.fail(reason);
    await Promise.all([this.#connection?.close(reason), this.#asleep]);
  }

  /**
   * Returns why a call would fail at once; undefined if it is sent or queued. With an open circuit, calls do not wait
   * for a trial start in progress.
   */
  rejectionReason(): AppError | undefined {
    return this.#supervisor.rejectionReason();
  }

  /** The server is being stopped, or was removed from the config. */
  get isStopping(): boolean {
    return this.#supervisor.isStopping;
  }

  async #connect(): Promise<void> {
    const { open, redactor, initializeParams, isDeadlinePaused, listener } = this.#options;
    const startupTimeoutMs = this.#limits?.startupTimeoutMs ?? STARTUP_TIMEOUT_MS;
    const connection = new Connection(
      { serverId: this.id, redactor },
      {
        request: (message, frame, call) => {
          this.history.serverRequest(message.method);
          listener.request(this, message, frame, call);
        },
        notification: (message, frame, call) => listener.notification(this, message, frame, call),
        callFailed: (error) => this.history.failed(error),
        invalidMessage: (error) => listener.invalidMessage(this, error),
        end: (reason, unsent) => this.#connectionEnded(connection, reason, unsent),
      },
    );
    this.#connection = connection;
    let startSlot: StartSlot | undefined;
    try {
      if (this.#asleep !== undefined) await this.#asleep;
      startSlot = await this.#supervisor.waitForSlot(() => !this.#callQueue.isEmpty());
      if (startSlot === undefined) return;
      const isModernExpected = this.#isModernExpected;
      // If this start fails, the next one expects nothing: the server may have changed.
      this.#isModernExpected = false;
      await connection.open(open, { isModernExpected });
      if (this.#isPaused) connection.pause();
      this.#initializeResult = await handshake(connection, initializeParams(), startupTimeoutMs, isDeadlinePaused);
      this.#isModernExpected = isModern(this.#initializeResult);
      if (this.#connection === connection && !this.#supervisor.isClosed) this.#ready(connection);
    } catch (error) {
      await connection.end(describeStartFailure(toAppError(error), connection.stderrTail(), connection.strayOutput()));
    } finally {
      startSlot?.release();
    }
  }

  #ready(connection: Connection): void {
    this.history.connected();
    this.#supervisor.ready();
    this.#options.listener.connected(this);
    for (const { call, leftMs } of this.#callQueue.takeAll()) {
      connection.call(call, call.timeoutMs ?? this.requestTimeoutMs, leftMs);
    }
  }

  #connectionEnded(connection: Connection, reason: AppError, unsent: readonly UpstreamCall[]): void {
    if (this.#connection !== connection) {
      for (const call of unsent) call.fail(reason);
      return;
    }
    this.#stderrTail = connection.stderrTail();
    this.#strayOutput = connection.strayOutput();
    // Queued calls fail with the reason of this start. Calls that were accepted but never sent are requeued once below.
    for (const { call } of this.#callQueue.takeAll()) call.fail(reason);
    this.#connection = undefined;
    if (!this.isStopping) this.history.failed(reason);
    this.#supervisor.failed(reason);
    this.#options.listener.disconnected(this);
    const delayMs = this.#supervisor.nextDelay(reason);
    if (delayMs === undefined) {
      for (const call of unsent) this.#moveToSuccessor({ call, leftMs: this.#leftMs(call) }, reason);
      return;
    }
    const hasRequeuedCalls = unsent.filter((call) => this.#requeue(call, reason)).length > 0;
    this.#supervisor.restartIn(hasRequeuedCalls ? 0 : delayMs);
  }

  #stopReason(): AppError {
    return new AppError('CONNECTION_CLOSED', `${this.id} is being stopped.`);
  }

  #requeue(call: UpstreamCall, reason: AppError): boolean {
    if (!this.#supervisor.isCircuitOpen() && this.#callQueue.requeue(call, this.#leftMs(call))) return true;
    call.fail(reason);
    return false;
  }

  #moveToSuccessor({ call, leftMs }: QueuedCall, reason: AppError): void {
    let successor = this.#successor;
    // The successor may have been replaced as well.
    while (successor !== undefined && successor.#successor !== undefined) successor = successor.#successor;
    if (successor === undefined || call.moveTo?.(successor) !== true) call.fail(reason);
    else successor.call(call, leftMs);
  }

  /** Returns the remaining time of a call that was accepted and never sent. */
  #leftMs({ sent }: UpstreamCall): number {
    const { acceptedAt, timeoutMs } = sent ?? { acceptedAt: performance.now(), timeoutMs: this.requestTimeoutMs };
    return Math.max(1, acceptedAt + timeoutMs - performance.now());
  }
}

function isModern({ protocolVersion }: InitializeResult): boolean {
  return protocolVersion === MODERN_VERSION;
}
