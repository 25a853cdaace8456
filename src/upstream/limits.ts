/** Calls of one upstream that may be pending or queued at the same time. */
export const MAX_CALLS = 1024;
/** Bytes that one upstream has not read yet. */
export const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
/** Bytes of incomplete messages, summed over all upstreams. */
export const MAX_UNFINISHED_BYTES = 256 * 1024 * 1024;
/** Time from the launch to the `initialize` response. */
export const STARTUP_TIMEOUT_MS = 60_000;
/** Timeout of one call; the client usually gives up sooner. */
export const CALL_TIMEOUT_MS = 600_000;
/** Total time limit of a call that reports progress. */
export const MAX_CALL_MS = 3_600_000;
/** Time in the ready state after which earlier failures no longer count toward the backoff. */
export const RECOVERED_AFTER_MS = 10_000;
