/** Calls of one upstream that may be under way or wait at the same time. */
export const MAX_CALLS = 1024;
/** Bytes that one upstream has not taken yet. */
export const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
/** Messages that all upstreams together have begun and not ended. */
export const MAX_UNFINISHED_BYTES = 256 * 1024 * 1024;
/** From the launch to the answer to `initialize`. */
export const STARTUP_TIMEOUT_MS = 60_000;
/** One call; the client usually gives up sooner. */
export const CALL_TIMEOUT_MS = 600_000;
/** A call that reports progress may go on so long in all. */
export const MAX_CALL_MS = 3_600_000;
/** A server that was ready for so long has recovered from what was before. */
export const RECOVERED_AFTER_MS = 10_000;
