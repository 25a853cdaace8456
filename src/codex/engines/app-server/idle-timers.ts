/** Unloads sessions that have been idle for a while. */
export interface IdleTimers {
  begin(sessionId: string): void;
  stop(sessionId: string): void;
  /** Stops all timers. */
  close(): void;
}

/** Long enough for a conversation, short enough for a user who wants to continue in the terminal. */
const IDLE_MS = 2 * 60_000;

export function createIdleTimers(onIdle: (sessionId: string) => Promise<void>, idleMs = IDLE_MS): IdleTimers {
  const timers = new Map<string, NodeJS.Timeout>();

  const stop = (sessionId: string) => {
    clearTimeout(timers.get(sessionId));
    timers.delete(sessionId);
  };

  return {
    begin(sessionId) {
      stop(sessionId);
      const timer = setTimeout(() => {
        timers.delete(sessionId);
        void onIdle(sessionId);
      }, idleMs);
      timers.set(sessionId, timer.unref());
    },
    stop,
    close() {
      for (const sessionId of [...timers.keys()]) stop(sessionId);
    },
  };
}
