import { type Backoff, createBackoff } from '../../base/backoff.ts';
import { AppError } from '../../base/errors.ts';
import { RECOVERED_AFTER_MS } from '../limits.ts';
import type { UpstreamState } from '../state.ts';
import type { UpstreamOptions } from '../upstream-options.ts';
import { isCheapToRetry, restartDelay, stateAfterFailure } from './restart-policy.ts';
import type { StartSlot } from './start-limiter.ts';

export interface SupervisorOptions
  extends Pick<UpstreamOptions, 'id' | 'startLimiter' | 'startAfter' | 'credentialsChanged'> {
  /** Starts the server. The outcome is reported with `ready` or `failed`. */
  connect(): void;
  stateChanged(): void;
}

const SIGN_IN_POLL_MS = 1_000;

/** Decides when a server starts, restarts and stops, and knows its state. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #backoff: Backoff = createBackoff({ now: () => performance.now(), random: Math.random });
  #state: UpstreamState = { kind: 'connecting' };
  #timer: NodeJS.Timeout | undefined;
  /** Slot of the current start, or of the last one. */
  #startSlot: StartSlot | undefined;
  #isStarted = false;
  #isClosed = false;
  #isDraining = false;
  #restarts = 0;
  #lastFailure: AppError | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get state(): UpstreamState {
    return this.#state;
  }

  get restarts(): number {
    return this.#restarts;
  }

  get lastFailure(): AppError | undefined {
    return this.#lastFailure;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isStopping(): boolean {
    return this.#isClosed || this.#isDraining;
  }

  start(): void {
    if (!this.#isStarted && !this.isStopping) this.#startNow();
  }

  stayIdle(): void {
    if (!this.#isStarted) this.#setState({ kind: 'idle' });
  }

  leaveIdle(): void {
    if (!this.#isStarted && this.#state.kind === 'idle') this.#setState({ kind: 'connecting' });
  }

  /** Called when the process is stopped until the next demand. */
  sleep(): void {
    clearTimeout(this.#timer);
    this.#startSlot?.release();
    this.#isStarted = false;
    this.#setState({ kind: 'idle' });
  }

  startOnDemand(): void {
    const { kind } = this.#state;
    const isIdle = kind === 'error' || kind === 'auth_required' || !this.#isStarted;
    if (isIdle && this.rejectionReason() === undefined) this.#startNow();
  }

  /** Starts the server before others that wait for a slot, because a caller waits for it. */
  prioritize(): void {
    this.#startSlot?.prioritize();
  }

  /** Returns the slot when the server may be launched; undefined if it is being stopped. The caller releases it. */
  async waitForSlot(isUrgent: () => boolean): Promise<StartSlot | undefined> {
    const { startAfter, startLimiter } = this.#options;
    if (startAfter !== undefined) await startAfter;
    if (this.isStopping) return undefined;
    const slot = startLimiter.acquire();
    this.#startSlot = slot;
    if (isUrgent()) slot.prioritize();
    await slot.granted;
    if (!this.isStopping) return slot;
    slot.release();
    return undefined;
  }

  ready(): void {
    this.#lastFailure = undefined;
    this.#setState({ kind: 'ready' });
    this.#timer = setTimeout(() => this.#backoff.recovered(), RECOVERED_AFTER_MS).unref();
  }

  /** Called when a start failed or the connection ended. `restartIn` follows unless `nextDelay` returns undefined. */
  failed(reason: AppError): void {
    clearTimeout(this.#timer);
    this.#lastFailure = reason;
    // Stopping the server ourselves is not a failure.
    if (!this.#isClosed) this.#setState(stateAfterFailure(reason));
  }

  /** Returns the delay before the restart; undefined if the server stops, or waits for a sign-in. */
  nextDelay(reason: AppError): number | undefined {
    if (this.isStopping) return undefined;
    if (this.#state.kind === 'auth_required') {
      this.#waitForSignIn();
      return undefined;
    }
    this.#restarts++;
    return restartDelay(reason, this.#backoff.failed({ isCheap: isCheapToRetry(reason) }));
  }

  restartIn(delayMs: number): void {
    if (delayMs === 0) this.#startNow();
    else this.#timer = setTimeout(() => this.#startNow(), delayMs).unref();
  }

  /** Returns whether the server has failed so often that no call should wait for it. */
  isCircuitOpen(): boolean {
    return this.#backoff.isCircuitOpen();
  }

  rejectionReason(): AppError | undefined {
    if (this.isStopping) return new AppError('CONNECTION_CLOSED', `${this.#options.id} is being stopped.`);
    if (this.#state.kind === 'auth_required') return this.#credentialsChanged() ? undefined : this.#lastFailure;
    if (this.#state.kind === 'ready' || this.#lastFailure === undefined || !this.isCircuitOpen()) return undefined;
    const { code, message, data } = this.#lastFailure;
    return new AppError(code, `${message} (it failed too often and is retried from time to time)`, {
      ...(data === undefined ? {} : { data }),
    });
  }

  /** Starts nothing new; the running server continues. */
  drain(): void {
    this.#isDraining = true;
    clearTimeout(this.#timer);
    this.#startSlot?.release();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#startSlot?.release();
  }

  #startNow(): void {
    clearTimeout(this.#timer);
    this.#isStarted = true;
    this.#setState({ kind: 'connecting' });
    this.#options.connect();
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

  #setState(state: UpstreamState): void {
    this.#state = state;
    this.#options.stateChanged();
  }
}
