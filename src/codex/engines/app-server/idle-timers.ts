/** Lets go of sessions that nobody has spoken to for a while. */
export interface Rest {
  begin(sessionId: string): void;
  stop(sessionId: string): void;
  /** Nobody is let go of any more. */
  close(): void;
}

/** Long enough for a conversation, short enough for a person who wants to go on in the terminal. */
const REST_MS = 2 * 60_000;

export function createRest(letGo: (sessionId: string) => Promise<void>, restMs = REST_MS): Rest {
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
        void letGo(sessionId);
      }, restMs);
      timers.set(sessionId, timer.unref());
    },
    stop,
    close() {
      for (const sessionId of [...timers.keys()]) stop(sessionId);
    },
  };
}
