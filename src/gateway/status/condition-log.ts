/** The condition of a server, as reported to the user. */
export interface Condition {
  readonly kind: 'ready' | 'degraded' | 'failed' | 'auth_required';
  readonly reason?: string | undefined;
  /** The command to suggest. */
  readonly next?: string | undefined;
}

/** Reports each change in the condition of a server in one line, with a limit on the number of lines. */
export interface ConditionLog {
  /** Sets the condition from which changes are reported. Undefined if nothing is known about the server yet. */
  setBaseline(serverId: string, condition: Condition | undefined): void;
  /** Updates the condition and reports a change. Ignores a server without a baseline. */
  update(serverId: string, condition: Condition): void;
  remove(serverId: string): void;
  /** Reports nothing from now on. */
  stop(): void;
}

/**
 * The maximum number of lines per server and period. A server that keeps crashing and recovering then gets one line
 * with the number of further changes.
 */
const MAX_LINES = 6;
const PERIOD_MS = 60_000;

interface TrackedServer {
  condition: Condition | undefined;
  periodStart: number;
  lines: number;
  /** The number of unreported changes in this period. */
  unreported: number;
  timer: NodeJS.Timeout | undefined;
}

export function createConditionLog(report: (line: string) => void): ConditionLog {
  const servers = new Map<string, TrackedServer>();

  const reportSuppressed = (serverId: string, tracked: TrackedServer) => {
    const { condition, unreported } = tracked;
    if (condition !== undefined)
      report(`${serverId}: ${unreported} more changes within a minute. ${describe(serverId, condition)}`);
    Object.assign(tracked, { periodStart: performance.now(), lines: 1, unreported: 0, timer: undefined });
  };

  const reportChange = (serverId: string, tracked: TrackedServer, condition: Condition) => {
    const now = performance.now();
    if (tracked.timer === undefined && now - tracked.periodStart >= PERIOD_MS) {
      tracked.periodStart = now;
      tracked.lines = 0;
    }
    if (tracked.lines < MAX_LINES) {
      tracked.lines++;
      return report(describe(serverId, condition));
    }
    tracked.unreported++;
    tracked.timer ??= setTimeout(
      () => reportSuppressed(serverId, tracked),
      tracked.periodStart + PERIOD_MS - now,
    ).unref();
  };

  const remove = (serverId: string) => {
    clearTimeout(servers.get(serverId)?.timer);
    servers.delete(serverId);
  };

  return {
    setBaseline(serverId, condition) {
      remove(serverId);
      servers.set(serverId, { condition, periodStart: performance.now(), lines: 0, unreported: 0, timer: undefined });
    },
    update(serverId, condition) {
      const tracked = servers.get(serverId);
      if (tracked === undefined) return;
      const before = tracked.condition?.kind;
      tracked.condition = condition;
      if (before !== condition.kind) reportChange(serverId, tracked, condition);
    },
    remove,
    stop() {
      for (const serverId of [...servers.keys()]) remove(serverId);
    },
  };
}

function describe(serverId: string, { kind, reason, next }: Condition): string {
  const why = reason === undefined ? '' : `: ${reason}`;
  const end = /[.!?]$/.test(why) ? '' : '.';
  const todo = next === undefined ? '' : ` Run: ${next}`;
  return `${serverId} ${PHRASES[kind]}${why}${end}${todo}`;
}

const PHRASES: Readonly<Record<Condition['kind'], string>> = {
  ready: 'is ready now',
  degraded: 'is degraded',
  failed: 'failed',
  auth_required: 'needs a sign-in',
};
