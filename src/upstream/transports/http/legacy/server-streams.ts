import type { IncomingMessage } from 'node:http';
import { backoffDelay } from '../../../../base/backoff.ts';
import { AppError } from '../../../../base/errors.ts';
import type { Frame } from '../../../../wire/frame.ts';
import type { SentRequest, TransportReceiver } from '../../transport.ts';
import type { Exchange, StartExchange } from '../exchange/exchange.ts';
import { drain } from '../response/body.ts';
import { EVENT_STREAM, mediaType } from '../response/media-type.ts';
import type { ReadEvents } from '../response/open-responses.ts';
import type { StreamPosition } from '../response/read-events.ts';

export interface ServerStreamsOptions {
  readonly startExchange: StartExchange;
  readonly receiver: TransportReceiver;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly readEvents: ReadEvents;
  /** Called when the server no longer accepts our session. */
  readonly sessionLost: () => void;
  readonly unreachable: (error: AppError) => void;
  /** Called when the response to this request is lost. */
  readonly requestFailed: (id: number) => void;
  /** Called once: when the server has accepted or rejected the stream, or after `READY_MS`. */
  readonly ready: () => void;
}

/** Streams for messages that the server initiates, and resumed response streams. */
export interface ServerStreams {
  /** Resumes the response to this request after its stream was interrupted. */
  resumeResponse(request: SentRequest, position: StreamPosition): void;
  forget(id: number): void;
  close(): void;
}

/** How long the first calls wait for the stream. Requests that the server sends before it is open are lost. */
const READY_MS = 500;
const DEFAULT_DELAY_MS = 1_000;
/** Lower limit for `retry` values, so that no server makes us reconnect constantly. */
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;
const RECONNECT_DELAYS = { firstMs: DEFAULT_DELAY_MS, maxMs: MAX_DELAY_MS };
/** Reconnects without any event before a response stream is given up. */
const MAX_FAILED_ATTEMPTS = 5;

export function openServerStreams(options: ServerStreamsOptions): ServerStreams {
  const { receiver } = options;
  const streams = new Set<Stream>();

  const open = (request: SentRequest | undefined, position: StreamPosition) => {
    const stream = openStream(options, {
      position,
      settled: () => ready(),
      isNeeded: () => request === undefined || receiver.isPending(request.id),
      // The general stream is optional for the server; a response is not.
      closed: () => {
        streams.delete(stream);
        if (request !== undefined && receiver.isPending(request.id)) options.requestFailed(request.id);
      },
      id: request?.id,
    });
    streams.add(stream);
  };

  let isReady = false;
  const ready = () => {
    if (isReady) return;
    isReady = true;
    clearTimeout(readyTimer);
    options.ready();
  };
  const readyTimer = setTimeout(ready, READY_MS).unref();
  open(undefined, { lastEventId: undefined, retryMs: undefined });
  return {
    resumeResponse: open,
    forget(id) {
      for (const stream of streams) if (stream.id === id) stream.close();
    },
    close() {
      clearTimeout(readyTimer);
      for (const stream of streams) stream.close();
    },
  };
}

interface StreamOptions {
  readonly id: number | undefined;
  readonly position: StreamPosition;
  readonly isNeeded: () => boolean;
  /** Called when the stream is open, or when its first attempt failed. Not called if it is closed before. */
  readonly settled: () => void;
  /** Called when the stream will not reconnect. */
  readonly closed: () => void;
}

interface Stream {
  readonly id: number | undefined;
  close(): void;
}

/** Opens one stream and reconnects it after interruptions. */
function openStream(
  options: ServerStreamsOptions,
  { id, position: start, isNeeded, settled, closed }: StreamOptions,
): Stream {
  let position = start;
  let failedAttempts = 0;
  let wasOpen = false;
  let isClosed = false;
  let exchange: Exchange | undefined;
  let timer: NodeJS.Timeout | undefined;

  const connect = () => {
    const { lastEventId } = position;
    const headers = options.headers();
    exchange = options.startExchange(
      {
        method: 'GET',
        isSafeToResend: true,
        headers: lastEventId === undefined ? headers : { ...headers, 'last-event-id': headerBytes(lastEventId) },
      },
      {
        response,
        failed({ error, isUndelivered }) {
          if (isClosed) return;
          settled();
          if (isUndelivered && error.code === 'UNREACHABLE') return stop(() => options.unreachable(error));
          reconnect();
        },
      },
    );
  };

  const response = (incoming: IncomingMessage) => {
    const { statusCode = 0 } = incoming;
    if (isClosed) return void incoming.destroy();
    settled();
    if (statusCode !== 200 || mediaType(incoming) !== EVENT_STREAM) {
      drain(incoming);
      // The stream was open before, so the server is rejecting our session.
      if (wasOpen && SESSION_LOST_STATUSES.has(statusCode)) return stop(options.sessionLost);
      if (statusCode >= 500 || BUSY_STATUSES.has(statusCode)) return reconnect();
      return stop(closed);
    }
    wasOpen = true;
    options.readEvents(incoming, deliver, (next, error) => {
      if (error !== undefined && !isClosed) return stop(() => broken(error));
      // A new event id counts as progress: the server makes us reconnect until its response is ready.
      if (next.lastEventId !== undefined && next.lastEventId !== position.lastEventId) failedAttempts = 0;
      position = { lastEventId: next.lastEventId ?? position.lastEventId, retryMs: next.retryMs ?? position.retryMs };
      if (!isClosed) reconnect();
    });
  };

  /**
   * Handles an unreadable stream, such as one with an event over the size limit. The lost content is unknown, and a
   * reconnect would receive the same again.
   */
  const broken = ({ message }: AppError) => {
    // Not `MESSAGE_TOO_LARGE`, which means a lost response: calls have their own streams.
    options.receiver.reportError(new AppError('BAD_FRAME', `${message} No more messages are received on this stream.`));
    closed();
  };

  const deliver = (frame: Frame) => {
    failedAttempts = 0;
    options.receiver.frame(frame);
    if (!isNeeded()) stop(closed);
  };

  const reconnect = () => {
    const canResume = id === undefined || position.lastEventId !== undefined;
    if (!isNeeded() || !canResume || (id !== undefined && ++failedAttempts > MAX_FAILED_ATTEMPTS)) return stop(closed);
    if (id === undefined) failedAttempts++;
    const longer = failedAttempts <= 1 ? 0 : backoffDelay(failedAttempts, RECONNECT_DELAYS);
    const least = id === undefined ? DEFAULT_DELAY_MS : MIN_DELAY_MS;
    const delayMs = Math.min(Math.max(position.retryMs ?? DEFAULT_DELAY_MS, longer, least), MAX_DELAY_MS);
    timer = setTimeout(connect, delayMs);
    // A caller waits for a response; nothing waits for the general stream.
    if (id === undefined) timer.unref();
  };

  const close = () => {
    isClosed = true;
    clearTimeout(timer);
    exchange?.abort();
  };

  const stop = (notify: () => void) => {
    close();
    notify();
  };

  // Resume an interrupted stream only after the delay that the server has set.
  if (id === undefined) connect();
  else reconnect();
  return { id, close };
}

const SESSION_LOST_STATUSES: ReadonlySet<number> = new Set([400, 404, 405]);
/** The server may consider an earlier stream of ours still open. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([409, 429]);

/** Encodes an event id, so that the header carries the same bytes in which the id arrived. */
function headerBytes(id: string): string {
  return Buffer.from(id).toString('latin1');
}
