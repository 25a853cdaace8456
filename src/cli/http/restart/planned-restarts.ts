import type { HttpFront } from '../../../serve/fronts/http/open-http-front.ts';

/** The signal that restarts an HTTP server without losing requests. */
export const RESTART_SIGNAL = 'SIGUSR2';

/**
 * Restarts of this command while clients are connected. The first process always keeps the listening socket and its
 * process id. After a restart, it passes its connections to another process, which serves them.
 */
export interface PlannedRestarts {
  /** Whether another process listens, and passes its connections to this one. */
  readonly isSuccessor: boolean;
  /** Sets the front of this process. Until then, a restart is refused. */
  serve(front: HttpFront): void;
  /** Resolves when another process serves instead of this one, or when the listening process has exited. */
  readonly retired: Promise<Retirement>;
  /** Forwards a stop signal to the other processes. */
  stop(signal: NodeJS.Signals): void;
  /** Resolves when the process may exit. Call it after everything is closed. */
  finish(): Promise<void>;
}

export interface Retirement {
  /** Whether to exit without waiting for running calls. */
  readonly isUrgent: boolean;
}

export interface PlannedRestartOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The reason why this server cannot be restarted. Undefined if it can. */
  readonly refusal: string | undefined;
  readonly report: (text: string) => void;
}
