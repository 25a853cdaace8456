import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../../base/errors.ts';
import type { Frame } from '../../../../wire/frame.ts';
import type { SentRequest, TransportReceiver } from '../../transport.ts';
import { drain } from '../drain.ts';
import type { BeginExchange, Exchange } from '../exchange/exchange.ts';
import { EVENT_STREAM, mediaType } from '../response/media-type.ts';
import type { ReadEvents, StreamPosition } from '../response/open-responses.ts';

export interface ServerStreamsOptions {
  readonly begin: BeginExchange;
  readonly receiver: TransportReceiver;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly readEvents: ReadEvents;
  /** The server no longer knows us. */
  readonly sessionLost: () => void;
  readonly unreachable: (error: AppError) => void;
  /** The answer to this request cannot be had any more. */
  readonly requestFailed: (id: number) => void;
  /** Called once: the server has taken the stream, or does not want one, or takes its time. */
  readonly ready: () => void;
}

/** The streams over which a server speaks without having been asked, and those that are gone on with after a break. */
export interface ServerStreams {
  /** The answer to this request was under way on a stream that broke off. */
  resumeResponse(request: SentRequest, position: StreamPosition): void;
  forget(id: number): void;
  close(): void;
}

/** What a server asks on the stream is lost when nobody listens yet; so long the first calls wait for it. */
const READY_MS = 500;
const DEFAULT_DELAY_MS = 1_000;
/** Whatever a server says: it must not have us ask all the time. */
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;
/** A stream is gone on with so often without a word on it. */
const MAX_FAILED_ATTEMPTS = 5;

export function openServerStreams(options: ServerStreamsOptions): ServerStreams {
  const { receiver } = options;
  const streams = new Set<Stream>();

  const open = (request: SentRequest | undefined, position: StreamPosition) => {
    const stream = openStream(options, {
      position,
      settled: () => ready(),
      isNeeded: () => request === undefined || receiver.isPending(request.id),
      // The general stream is a courtesy of the server; an answer is owed.
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
  /** It is open, or will not be at once. Called at least once, unless it is closed before. */
  readonly settled: () => void;
  /** It will not be tried again. */
  readonly closed: () => void;
}

interface Stream {
  readonly id: number | undefined;
  close(): void;
}

/** One stream through all its breaks. */
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
    exchange = options.begin(
      {
        method: 'GET',
        isIdempotent: true,
        headers: lastEventId === undefined ? headers : { ...headers, 'last-event-id': headerBytes(lastEventId) },
      },
      {
        response,
        failed({ error, isUndelivered: isUnheard }) {
          if (isClosed) return;
          settled();
          if (isUnheard && error.code === 'UNREACHABLE') return stop(() => options.unreachable(error));
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
      // It was there before: what is refused is our session.
      if (wasOpen && SESSION_LOST_STATUSES.has(statusCode)) return stop(options.sessionLost);
      if (statusCode >= 500 || BUSY_STATUSES.has(statusCode)) return reconnect();
      return stop(closed);
    }
    wasOpen = true;
    options.readEvents(incoming, deliver, (next, error) => {
      if (error !== undefined && !isClosed) return stop(() => broken(error));
      // A new place to go on from is as good as a message: the server has us come back until its answer is there.
      if (next.lastEventId !== undefined && next.lastEventId !== position.lastEventId) failedAttempts = 0;
      position = { lastEventId: next.lastEventId ?? position.lastEventId, retryMs: next.retryMs ?? position.retryMs };
      if (!isClosed) reconnect();
    });
  };

  /** It said more than can be held: nobody knows what it was, and to ask again would bring the same. */
  const broken = ({ message }: AppError) => {
    // Not the code of an answer that got lost: the calls have streams of their own.
    options.receiver.reportError(new AppError('BAD_FRAME', `${message} Nothing more is heard on this stream.`));
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
    const longer = failedAttempts <= 1 ? 0 : DEFAULT_DELAY_MS * 2 ** Math.min(failedAttempts - 1, 5);
    const least = id === undefined ? DEFAULT_DELAY_MS : MIN_DELAY_MS;
    const delayMs = Math.min(Math.max(position.retryMs ?? DEFAULT_DELAY_MS, longer, least), MAX_DELAY_MS);
    timer = setTimeout(connect, delayMs);
    // Somebody waits for an answer; for news nobody does.
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

  // What broke off is gone on with when the server says, not before.
  if (id === undefined) connect();
  else reconnect();
  return { id, close };
}

const SESSION_LOST_STATUSES: ReadonlySet<number> = new Set([400, 404, 405]);
/** Another stream of ours may still be open in the eyes of the server. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([409, 429]);

/** A header is bytes: an id goes back as those in which it came. */
function headerBytes(id: string): string {
  return Buffer.from(id).toString('latin1');
}
