import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../../base/errors.ts';
import type { Frame } from '../../../../wire/frame.ts';
import type { SentRequest, TransportReceiver } from '../../transport.ts';
import { drain } from '../drain.ts';
import type { BeginExchange, Exchange } from '../exchange/exchange.ts';
import { EVENT_STREAM, mediaType } from '../response/media-type.ts';
import type { ReadEvents, StreamPlace } from '../response/open-responses.ts';

export interface ListeningOptions {
  readonly begin: BeginExchange;
  readonly receiver: TransportReceiver;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly read: ReadEvents;
  /** The server no longer knows us. */
  readonly lost: () => void;
  readonly unreachable: (error: AppError) => void;
  /** The answer to this request cannot be had any more. */
  readonly failed: (id: number) => void;
  /** Called once: the server has taken the stream, or does not want one, or takes its time. */
  readonly ready: () => void;
}

/** The streams over which a server speaks without having been asked, and those that are gone on with after a break. */
export interface Listening {
  /** The answer to this request was under way on a stream that broke off. */
  goOn(request: SentRequest, place: StreamPlace): void;
  forget(id: number): void;
  close(): void;
}

/** What a server asks on the stream is lost when nobody listens yet; so long the first calls wait for it. */
const READY_MS = 500;
const USUAL_PAUSE_MS = 1_000;
/** Whatever a server says: it must not have us ask all the time. */
const LEAST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A stream is gone on with so often without a word on it. */
const MAX_BREAKS = 5;

export function openListening(options: ListeningOptions): Listening {
  const { receiver } = options;
  const streams = new Set<Stream>();

  const open = (request: SentRequest | undefined, place: StreamPlace) => {
    const stream = openStream(options, {
      place,
      settled: () => ready(),
      isWanted: () => request === undefined || receiver.isAwaited(request.id),
      // The general stream is a courtesy of the server; an answer is owed.
      over: () => {
        streams.delete(stream);
        if (request !== undefined && receiver.isAwaited(request.id)) options.failed(request.id);
      },
      id: request?.id,
    });
    streams.add(stream);
  };

  let isReady = false;
  const ready = () => {
    if (isReady) return;
    isReady = true;
    clearTimeout(patience);
    options.ready();
  };
  const patience = setTimeout(ready, READY_MS).unref();
  open(undefined, { lastEventId: undefined, retryMs: undefined });
  return {
    goOn: open,
    forget(id) {
      for (const stream of streams) if (stream.id === id) stream.close();
    },
    close() {
      clearTimeout(patience);
      for (const stream of streams) stream.close();
    },
  };
}

interface StreamOptions {
  readonly id: number | undefined;
  readonly place: StreamPlace;
  readonly isWanted: () => boolean;
  /** It is open, or will not be at once. Called at least once, unless it is closed before. */
  readonly settled: () => void;
  /** It will not be tried again. */
  readonly over: () => void;
}

interface Stream {
  readonly id: number | undefined;
  close(): void;
}

/** One stream through all its breaks. */
function openStream(listening: ListeningOptions, { id, place: start, isWanted, settled, over }: StreamOptions): Stream {
  let place = start;
  let breaks = 0;
  let wasOpen = false;
  let isClosed = false;
  let exchange: Exchange | undefined;
  let timer: NodeJS.Timeout | undefined;

  const connect = () => {
    const { lastEventId } = place;
    const headers = listening.headers();
    exchange = listening.begin(
      {
        method: 'GET',
        isRepeatable: true,
        headers: lastEventId === undefined ? headers : { ...headers, 'last-event-id': headerBytes(lastEventId) },
      },
      {
        response,
        failed({ error, isUnheard }) {
          if (isClosed) return;
          settled();
          if (isUnheard && error.code === 'UNREACHABLE') return stop(() => listening.unreachable(error));
          again();
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
      if (wasOpen && LOST.has(statusCode)) return stop(listening.lost);
      if (statusCode >= 500 || BUSY.has(statusCode)) return again();
      return stop(over);
    }
    wasOpen = true;
    listening.read(incoming, deliver, (next, error) => {
      if (error !== undefined && !isClosed) return stop(() => broken(error));
      // A new place to go on from is as good as a message: the server has us come back until its answer is there.
      if (next.lastEventId !== undefined && next.lastEventId !== place.lastEventId) breaks = 0;
      place = { lastEventId: next.lastEventId ?? place.lastEventId, retryMs: next.retryMs ?? place.retryMs };
      if (!isClosed) again();
    });
  };

  /** It said more than can be held: nobody knows what it was, and to ask again would bring the same. */
  const broken = ({ message }: AppError) => {
    // Not the code of an answer that got lost: the calls have streams of their own.
    listening.receiver.fault(new AppError('BAD_FRAME', `${message} Nothing more is heard on this stream.`));
    over();
  };

  const deliver = (frame: Frame) => {
    breaks = 0;
    listening.receiver.frame(frame);
    if (!isWanted()) stop(over);
  };

  const again = () => {
    const mayGoOn = id === undefined || place.lastEventId !== undefined;
    if (!isWanted() || !mayGoOn || (id !== undefined && ++breaks > MAX_BREAKS)) return stop(over);
    if (id === undefined) breaks++;
    const longer = breaks <= 1 ? 0 : USUAL_PAUSE_MS * 2 ** Math.min(breaks - 1, 5);
    const least = id === undefined ? USUAL_PAUSE_MS : LEAST_PAUSE_MS;
    const pauseMs = Math.min(Math.max(place.retryMs ?? USUAL_PAUSE_MS, longer, least), LONGEST_PAUSE_MS);
    timer = setTimeout(connect, pauseMs);
    // Somebody waits for an answer; for news nobody does.
    if (id === undefined) timer.unref();
  };

  const close = () => {
    isClosed = true;
    clearTimeout(timer);
    exchange?.abort();
  };

  const stop = (told: () => void) => {
    close();
    told();
  };

  // What broke off is gone on with when the server says, not before.
  if (id === undefined) connect();
  else again();
  return { id, close };
}

const LOST: ReadonlySet<number> = new Set([400, 404, 405]);
/** Another stream of ours may still be open in the eyes of the server. */
const BUSY: ReadonlySet<number> = new Set([409, 429]);

/** A header is bytes: an id goes back as those in which it came. */
function headerBytes(id: string): string {
  return Buffer.from(id).toString('latin1');
}
