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
  /** Serves with this front. Before, a restart is refused. */
  serve(front: HttpFront): void;
  /** Resolves when another process serves, or when the process that listens is gone. */
  readonly retired: Promise<Retirement>;
  /** Call it for each signal to stop. */
  stop(signal: NodeJS.Signals): void;
  /** Resolves when the process may exit. Call it after everything is closed. */
  finish(): Promise<void>;
}

export interface Retirement {
  /** Running calls need not finish. */
  readonly isUrgent: boolean;
}

export interface PlannedRestartOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Why this server cannot be restarted, if it cannot. */
  readonly refusal: string | undefined;
  readonly report: (text: string) => void;
}
