/** The signals that ask a process to exit, with their numbers, from which the exit status is computed. */
export const STOP_SIGNALS = [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const;
