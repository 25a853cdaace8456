/** The limits of the HTTP front. Each refusal names the limit that caused it. */
export interface HttpLimits {
  /** Size of one request body. Above it: 413. */
  readonly maxBodyBytes: number;
  /** Size of `initialize`, or of the client description in a modern envelope. Above it: 413. */
  readonly maxDescriptionBytes: number;
  /** Size of all large bodies that are being received. Above it: 503. */
  readonly maxBufferedBytes: number;
  /** Legacy sessions in memory, and as many modern clients. Above it: 503. */
  readonly maxSessions: number;
  /** Requests in flight of one session or one modern client. Above it: 429. */
  readonly maxRequestsPerClient: number;
  /** Requests in flight of all clients. Above it: 503. */
  readonly maxRequests: number;
  /** Open connections. Above it, the one that has been idle for longest is closed. If none is idle: 503. */
  readonly maxConnections: number;
  /** Time to send the headers of a request. After it: 408. */
  readonly headersTimeoutMs: number;
  /** Time to send a whole request. After it: 408. */
  readonly requestTimeoutMs: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveTimeoutMs: number;
  /** How long a client without an open connection is kept. Its calls are cancelled then. */
  readonly sessionIdleMs: number;
  /** Time between two signs of life on an event stream. */
  readonly heartbeatMs: number;
  /** How long a client may not read what was sent to it. */
  readonly stallTimeoutMs: number;
  /** Bytes queued for a client that does not read its event stream. Above it, the stream is closed. */
  readonly maxUnreadBytes: number;
  /** Messages of one session that are kept for a client that reconnects. Older ones are dropped. */
  readonly maxReplayEvents: number;
  readonly maxReplayBytes: number;
  /** How long the running requests may take to finish when the front closes. */
  readonly drainMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  maxBodyBytes: 16 * MIB,
  maxDescriptionBytes: 64 * 1024,
  maxBufferedBytes: 256 * MIB,
  maxSessions: 10_000,
  maxRequestsPerClient: 1_000,
  maxRequests: 10_000,
  maxConnections: 20_000,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 120_000,
  sessionIdleMs: 30 * 60_000,
  heartbeatMs: 15_000,
  stallTimeoutMs: 60_000,
  maxUnreadBytes: 8 * MIB,
  maxReplayEvents: 256,
  maxReplayBytes: MIB / 4,
  drainMs: 10_000,
};
