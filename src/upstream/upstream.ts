import { type Backoff, createBackoff } from '../base/backoff.ts';
import { AppError, toAppError } from '../base/errors.ts';
import type { OutgoingMessage } from '../wire/json/splice.ts';
import type { StartFailure } from './catalog-cache/failure-cache.ts';
import { OwnRequest, type OwnResponse, type UpstreamCall } from './connection/call.ts';
import { Connection } from './connection/connection.ts';
import { handshake } from './connection/handshake.ts';
import { type CallQueue, createCallQueue, type QueuedCall } from './lifecycle/call-queue.ts';
import { createHistory } from './lifecycle/history.ts';
import { isCheapToRetry, restartDelay, stateAfterFailure } from './lifecycle/restart-policy.ts';
import { describeStartFailure } from './lifecycle/start-failure.ts';
import type { StartSlot } from './lifecycle/start-limiter.ts';
import { CALL_TIMEOUT_MS, RECOVERED_AFTER_MS, STARTUP_TIMEOUT_MS } from './limits.ts';
import type { InitializeResult, UpstreamState } from './state.ts';
import type { UpstreamLimits, UpstreamOptions } from './upstream-options.ts';

const SIGN_IN_POLL_MS = 1_000;

/** One server across restarts: starts it, connects, forwards calls, and restarts it after a crash. */
export class Upstream {
  readonly id: string;
  readonly history = createHistory();
  /**
   * Why the last start, in this run or an earlier one, produced no tool list. While it is set, no list request waits.
   */
  startFailure: StartFailure | undefined;
  readonly #options: UpstreamOptions;
  readonly #backoff: Backoff = createBackoff({ now: () => performance.now(), random: Math.random });
  readonly #callQueue: CallQueue;
  #state: UpstreamState = { kind: 'connecting' };
  #connection: Connection | undefined;
  #initializeResult: InitializeResult | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Slot of the current start, or of the last one. */
  #startSlot: StartSlot | undefined;
  #isStarted = false;
  #isClosed = false;
  #isPaused = false;
  /** The server finishes its pending calls and is not restarted. */
  #isDraining = false;
  #limits: UpstreamLimits | undefined;
  #restarts = 0;
  #ownRequests = 0;
  #lastFailure: AppError | undefined;
  #stderrTail: readonly string[] = [];
  #strayOutput: string | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.id = options.id;
    this.#limits = options.limits;
    this.#callQueue = createCallQueue(options.id);
  }

  get state(): UpstreamState {
    return this.#state;
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
    if (this.#state.kind !== 'ready') return 0;
    return Math.max(0, (this.#connection?.pendingCalls ?? 0) - this.#ownRequests);
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** Reason of the last failure; undefined once the server is ready again. */
  get lastFailure(): AppError | undefined {
    return this.#lastFailure;
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
    this.#initializeResult ??= initializeResult;
  }

  /** Sets the limits of calls and starts that begin after this. */
  setLimits(limits: UpstreamLimits): void {
    this.#limits = limits;
  }

  start() {
    if (this.#isStarted || this.isStopping) return;
    this.#isStarted = true;
    void this.#connect();
  }

  /** Marks the server idle in place of `start`. The first demand starts it. */
  stayIdle(): void {
    if (!this.#isStarted) this.#setState({ kind: 'idle' });
  }

  /** Starts a server that is idle or waits for its restart backoff, unless it failed too often. */
  startOnDemand(): void {
    const { kind } = this.#state;
    const isIdle = kind === 'error' || kind === 'auth_required' || !this.#isStarted;
    if (isIdle && this.rejectionReason() === undefined) this.#startNow();
  }

  /** Sends the call, now or when the server is ready. Starts a server that is idle or waits for its restart backoff. */
  call(call: UpstreamCall, leftMs = call.timeoutMs ?? this.requestTimeoutMs) {
    const timeoutMs = call.timeoutMs ?? this.requestTimeoutMs;
    if (this.#state.kind === 'ready' && this.#connection !== undefined) {
      return this.#connection.call(call, timeoutMs, leftMs);
    }
    const rejection = this.rejectionReason();
    if (rejection !== undefined) return call.fail(rejection);
    if (!this.#callQueue.add(call, leftMs)) {
      return call.fail(new AppError('BUSY', `${this.id} is starting, and too many calls wait for it already.`));
    }
    this.#startSlot?.prioritize();
    this.startOnDemand();
  }

  /** Cancels a call whose response is no longer needed. */
  cancel(call: UpstreamCall, reason: string): void {
    if (!this.#callQueue.remove(call)) this.#connection?.cancel(call, reason);
  }

  /** Sends a request of our own. */
  async request(method: string, params: unknown, timeoutMs = this.requestTimeoutMs): Promise<OwnResponse> {
    const request = new OwnRequest(method, params, timeoutMs);
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
    if (this.#state.kind === 'ready') this.#connection?.notify(method, params);
  }

  send(message: OutgoingMessage): void {
    if (this.#state.kind === 'ready') this.#connection?.send(message);
  }

  /** Responds to a request of the server, which may send requests before it is ready. */
  respond(message: OutgoingMessage): void {
    this.#connection?.send(message);
  }

  findCall(id: unknown): UpstreamCall | undefined {
    return this.#connection?.findCall(id);
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

  /** Lets the server finish its pending calls and starts nothing new. Returns the queued calls. */
  drain(): readonly QueuedCall[] {
    this.#isDraining = true;
    clearTimeout(this.#timer);
    this.#startSlot?.release();
    return this.#callQueue.takeAll();
  }

  /** Fails all calls at once. Resolves when the server and all its child processes have exited. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#startSlot?.release();
    const reason = new AppError('CONNECTION_CLOSED', `${this.id} is being stopped.`);
    for (const { call } of this.#callQueue.takeAll()) call.fail(reason);
    await this.#connection?.close(reason);
  }

  /**
   * Returns why a call would fail at once; undefined if it is sent or queued. With an open circuit, calls do not wait
   * for a trial start in progress.
   */
  rejectionReason(): AppError | undefined {
    if (this.isStopping) return new AppError('CONNECTION_CLOSED', `${this.id} is being stopped.`);
    if (this.#state.kind === 'auth_required') return this.#credentialsChanged() ? undefined : this.#lastFailure;
    if (this.#state.kind === 'ready' || this.#lastFailure === undefined || !this.#backoff.isCircuitOpen())
      return undefined;
    const { code, message, data } = this.#lastFailure;
    return new AppError(code, `${message} (it fell too often and is tried again from time to time)`, {
      ...(data === undefined ? {} : { data }),
    });
  }

  /** The server is being stopped, or was removed from the config. */
  get isStopping(): boolean {
    return this.#isClosed || this.#isDraining;
  }

  #startNow(): void {
    clearTimeout(this.#timer);
    this.#isStarted = true;
    void this.#connect();
  }

  async #connect(): Promise<void> {
    this.#setState({ kind: 'connecting' });
    const { open, redactor, startLimiter, initializeParams, startAfter, isDeadlinePaused, listener } = this.#options;
    const startupTimeoutMs = this.#limits?.startupTimeoutMs ?? STARTUP_TIMEOUT_MS;
    const connection = new Connection(
      { serverId: this.id, redactor },
      {
        request: (message, frame, call) => {
          this.history.serverRequest(message.method);
          listener.request(this, message, frame, call);
        },
        notification: (message, frame) => listener.notification(this, message, frame),
        callFailed: (error) => this.history.failed(error),
        invalidMessage: (error) => listener.invalidMessage(this, error),
        end: (reason, unsent) => this.#connectionEnded(connection, reason, unsent),
      },
    );
    this.#connection = connection;
    let startSlot: StartSlot | undefined;
    try {
      if (startAfter !== undefined) await startAfter;
      if (this.isStopping) return;
      startSlot = startLimiter.acquire();
      this.#startSlot = startSlot;
      if (!this.#callQueue.isEmpty()) startSlot.prioritize();
      await startSlot.granted;
      if (this.isStopping) return;
      await connection.open(open);
      if (this.#isPaused) connection.pause();
      this.#initializeResult = await handshake(connection, initializeParams(), startupTimeoutMs, isDeadlinePaused);
      if (this.#connection === connection && !this.#isClosed) this.#ready(connection);
    } catch (error) {
      await connection.end(describeStartFailure(toAppError(error), connection.stderrTail(), connection.strayOutput()));
    } finally {
      startSlot?.release();
    }
  }

  #ready(connection: Connection): void {
    this.#lastFailure = undefined;
    this.history.connected();
    this.#setState({ kind: 'ready' });
    this.#timer = setTimeout(() => this.#backoff.recovered(), RECOVERED_AFTER_MS).unref();
    this.#options.listener.connected(this);
    for (const { call, leftMs } of this.#callQueue.takeAll()) {
      connection.call(call, call.timeoutMs ?? this.requestTimeoutMs, leftMs);
    }
  }

  #connectionEnded(connection: Connection, reason: AppError, unsent: readonly UpstreamCall[]): void {
    if (this.#connection !== connection) return;
    clearTimeout(this.#timer);
    this.#stderrTail = connection.stderrTail();
    this.#strayOutput = connection.strayOutput();
    // Queued calls fail with the reason of this start. Calls that were accepted but never sent are requeued once below.
    for (const { call } of this.#callQueue.takeAll()) call.fail(reason);
    this.#connection = undefined;
    this.#lastFailure = reason;
    if (!this.isStopping) this.history.failed(reason);
    // Stopping the server ourselves is not a failure.
    if (!this.#isClosed) this.#setState(stateAfterFailure(reason));
    this.#options.listener.disconnected(this);
    if (this.isStopping || this.#state.kind === 'auth_required') {
      for (const call of unsent) call.fail(reason);
      if (!this.isStopping) this.#waitForSignIn();
      return;
    }
    this.#restarts++;
    const delayMs = restartDelay(reason, this.#backoff.failed({ isCheap: isCheapToRetry(reason) }));
    const hasRequeuedCalls = unsent.filter((call) => this.#requeue(call, reason)).length > 0;
    if (delayMs === 0 || hasRequeuedCalls) this.#startNow();
    else this.#timer = setTimeout(() => void this.#connect(), delayMs).unref();
  }

  /** Polls for a sign-in, so the tools appear without a call or a restart. */
  #waitForSignIn(): void {
    if (this.#options.credentialsChanged === undefined) return;
    this.#timer = setTimeout(() => {
      if (this.#credentialsChanged()) this.#startNow();
      else this.#waitForSignIn();
    }, SIGN_IN_POLL_MS).unref();
  }

  #credentialsChanged(): boolean {
    return this.#options.credentialsChanged?.() ?? false;
  }

  #requeue(call: UpstreamCall, reason: AppError): boolean {
    const { sentAt, timeoutMs } = call.sent ?? { sentAt: performance.now(), timeoutMs: this.requestTimeoutMs };
    const leftMs = Math.max(1, sentAt + timeoutMs - performance.now());
    if (!this.#backoff.isCircuitOpen() && this.#callQueue.requeue(call, leftMs)) return true;
    call.fail(reason);
    return false;
  }

  #setState(state: UpstreamState): void {
    this.#state = state;
    this.#options.listener.stateChanged(this);
  }
}
