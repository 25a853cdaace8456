/** The condition of a server, as reported to the user. */
export interface Condition {
  readonly kind: 'ready' | 'degraded' | 'failed' | 'auth_required';
  readonly reason?: string | undefined;
  /** The command to suggest. */
  readonly next?: string | undefined;
}

/** Reports each change in the condition of a server in one line, with a limit on the number of lines. */
export interface StateNews {
  /** Sets the condition from which changes are reported. Undefined if nothing is known of the server yet. */
  know(serverId: string, condition: Condition | undefined): void;
  /** Updates the condition and reports a change. Ignores a server that `know` has not been called for. */
  is(serverId: string, condition: Condition): void;
  forget(serverId: string): void;
  /** Reports nothing from now on. */
  stop(): void;
}

/** A server that keeps crashing and recovering gets this many lines per period, then one line with the number of further changes. */
const MAX_LINES = 6;
const PERIOD_MS = 60_000;

interface Known {
  condition: Condition | undefined;
  periodStart: number;
  lines: number;
  /** Changes of this period that were not reported. */
  untold: number;
  timer: NodeJS.Timeout | undefined;
}

export function createStateNews(tell: (line: string) => void): StateNews {
  const servers = new Map<string, Known>();

  const tellUntold = (serverId: string, known: Known) => {
    const { condition, untold } = known;
    if (condition !== undefined)
      tell(`${serverId}: ${untold} more changes within a minute. ${describe(serverId, condition)}`);
    Object.assign(known, { periodStart: performance.now(), lines: 1, untold: 0, timer: undefined });
  };

  const changed = (serverId: string, known: Known, condition: Condition) => {
    const now = performance.now();
    if (known.timer === undefined && now - known.periodStart >= PERIOD_MS) {
      known.periodStart = now;
      known.lines = 0;
    }
    if (known.lines < MAX_LINES) {
      known.lines++;
      return tell(describe(serverId, condition));
    }
    known.untold++;
    known.timer ??= setTimeout(() => tellUntold(serverId, known), known.periodStart + PERIOD_MS - now).unref();
  };

  const forget = (serverId: string) => {
    clearTimeout(servers.get(serverId)?.timer);
    servers.delete(serverId);
  };

  return {
    know(serverId, condition) {
      forget(serverId);
      servers.set(serverId, { condition, periodStart: performance.now(), lines: 0, untold: 0, timer: undefined });
    },
    is(serverId, condition) {
      const known = servers.get(serverId);
      if (known === undefined) return;
      const before = known.condition?.kind;
      known.condition = condition;
      if (before !== condition.kind) changed(serverId, known, condition);
    },
    forget,
    stop() {
      for (const serverId of [...servers.keys()]) forget(serverId);
    },
  };
}

function describe(serverId: string, { kind, reason, next }: Condition): string {
  const why = reason === undefined ? '' : `: ${reason}`;
  const end = /[.!?]$/.test(why) ? '' : '.';
  const todo = next === undefined ? '' : ` Run: ${next}`;
  return `${serverId} ${WORDS[kind]}${why}${end}${todo}`;
}

const WORDS: Readonly<Record<Condition['kind'], string>> = {
  ready: 'is ready now',
  degraded: 'is degraded',
  failed: 'failed',
  auth_required: 'needs a sign-in',
};
