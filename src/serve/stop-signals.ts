/** The signals that tell a process to end, with their numbers, which its exit status tells. */
export const STOP_SIGNALS = [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const;
