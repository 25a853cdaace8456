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

/** One server through all its lives: started, connected, called, and started again when it falls. */
export class Upstream {
  readonly id: string;
  readonly history = createHistory();
  /** Why its last start, be it in an earlier run, did not end with a list of tools. No list waits for it meanwhile. */
  startFailure: StartFailure | undefined;
  readonly #options: UpstreamOptions;
  readonly #backoff: Backoff = createBackoff({ now: () => performance.now(), random: Math.random });
  readonly #callQueue: CallQueue;
  #state: UpstreamState = { kind: 'connecting' };
  #connection: Connection | undefined;
  #initializeResult: InitializeResult | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Of the start that is under way, or of the last one. */
  #startSlot: StartSlot | undefined;
  #isStarted = false;
  #isClosed = false;
  #isPaused = false;
  /** It finishes what it has, and is not started again. */
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

  /** What it said of itself when it was last connected, be it in an earlier run of ours. */
  get initializeResult(): InitializeResult | undefined {
    return this.#initializeResult;
  }

  get requestTimeoutMs(): number {
    return this.#limits?.requestTimeoutMs ?? CALL_TIMEOUT_MS;
  }

  /** Those of clients: what we ask for ourselves, the greeting above all, is nobody's loss. */
  get pendingCalls(): number {
    if (this.#state.kind !== 'ready') return 0;
    return Math.max(0, (this.#connection?.pendingCalls ?? 0) - this.#ownRequests);
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** Why it fell the last time; undefined when it has been ready since. */
  get lastFailure(): AppError | undefined {
    return this.#lastFailure;
  }

  get where(): string | undefined {
    return this.#connection?.where;
  }

  /** Of the life before this one while this one has said nothing: that it is started again says nothing of why it fell. */
  stderrTail(): readonly string[] {
    const stderrTail = this.#connection?.stderrTail() ?? [];
    return stderrTail.length > 0 ? stderrTail : this.#stderrTail;
  }

  /** One sentence about text that it prints on stdout, in this life or the one before; undefined when there is none. */
  strayOutput(): string | undefined {
    return this.#connection?.strayOutput() ?? this.#strayOutput;
  }

  /** It is known from an earlier run; what it says when it is connected counts more. */
  restoreInitializeResult(initializeResult: InitializeResult): void {
    this.#initializeResult ??= initializeResult;
  }

  /** From now on, for what begins from now on. */
  setLimits(limits: UpstreamLimits): void {
    this.#limits = limits;
  }

  start() {
    if (this.#isStarted || this.isStopping) return;
    this.#isStarted = true;
    void this.#connect();
  }

  /** Instead of `start`: it is started when somebody wants it. */
  stayIdle(): void {
    if (!this.#isStarted) this.#setState({ kind: 'idle' });
  }

  /** Somebody wants it: a server that rests after a fall is started now, unless it fell too often. */
  startOnDemand(): void {
    const { kind } = this.#state;
    const isIdle = kind === 'error' || kind === 'auth_required' || !this.#isStarted;
    if (isIdle && this.rejectionReason() === undefined) this.#startNow();
  }

  /** Passes the call on, now or when the server is ready; a server that rests after a fall is started for it. */
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

  /** Nobody wants its answer any more. */
  cancel(call: UpstreamCall, reason: string): void {
    if (!this.#callQueue.remove(call)) this.#connection?.cancel(call, reason);
  }

  /** A request of our own. */
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

  /** Only to a server that is ready: what concerns one that is not is said to it when it is connected. */
  notify(method: string, params?: unknown): void {
    if (this.#state.kind === 'ready') this.#connection?.notify(method, params);
  }

  send(message: OutgoingMessage): void {
    if (this.#state.kind === 'ready') this.#connection?.send(message);
  }

  /** To a question of its own, which it may ask before it is ready. */
  respond(message: OutgoingMessage): void {
    this.#connection?.send(message);
  }

  findCall(id: unknown): UpstreamCall | undefined {
    return this.#connection?.findCall(id);
  }

  /** Nothing is read from it until `resume`, in this life or the next. */
  pause(): void {
    this.#isPaused = true;
    this.#connection?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#connection?.resume();
  }

  /** It works on what it has, and nothing else. Those who still wait for it to be ready are given back. */
  drain(): readonly QueuedCall[] {
    this.#isDraining = true;
    clearTimeout(this.#timer);
    this.#startSlot?.release();
    return this.#callQueue.takeAll();
  }

  /** Every caller is told at once; resolves when the server and all that it started are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#startSlot?.release();
    const reason = new AppError('CONNECTION_CLOSED', `${this.id} is being stopped.`);
    for (const { call } of this.#callQueue.takeAll()) call.fail(reason);
    await this.#connection?.close(reason);
  }

  /** Why a call would fail at once; undefined when it is passed on or waits. A probe that is under way is not waited for. */
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

  /** It is being stopped, or was taken out of the config. */
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
    // Those who waited for this start are told why it failed. Those whose call was lost in our hands wait once more.
    for (const { call } of this.#callQueue.takeAll()) call.fail(reason);
    this.#connection = undefined;
    this.#lastFailure = reason;
    if (!this.isStopping) this.history.failed(reason);
    // That we stop it ourselves is no failure of it.
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

  /** A person may be at it: the tools should be there without a call or a restart. */
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
