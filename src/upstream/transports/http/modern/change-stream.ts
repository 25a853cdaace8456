import type { Frame } from '../../../../wire/frame.ts';
import { isObject, requestText } from '../../../../wire/messages.ts';
import type { BeginExchange, Exchange } from '../exchange/exchange.ts';
import { EVENT_STREAM, mediaType } from '../response/media-type.ts';
import type { ReadEvents } from '../response/open-responses.ts';

export interface ListenOptions {
  readonly begin: BeginExchange;
  /** What the server says of itself, so that nothing is asked for that it does not have. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly meta: () => Readonly<Record<string, unknown>>;
  readonly headers: (method: string) => Readonly<Record<string, string>>;
  readonly read: ReadEvents;
  readonly deliver: (frame: Frame) => void;
}

/** The one stream over which a modern server tells of changes. */
export interface Listen {
  start(): void;
  subscribe(uri: string): void;
  unsubscribe(uri: string): void;
  close(): void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const METHOD = 'subscriptions/listen';

export function createListen(options: ListenOptions): Listen {
  const uris = new Set<string>();
  let exchange: Exchange | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let isClosed = false;
  let pauseMs = FIRST_PAUSE_MS;
  let count = 0;

  const connect = () => {
    clearTimeout(timer);
    exchange?.abort();
    const notifications = {
      ...wanted(options.capabilities),
      ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
    };
    if (isClosed || !isStarted || Object.keys(notifications).length === 0) return;
    const body = requestText(`listen-${++count}`, METHOD, { notifications, _meta: options.meta() });
    const mine = options.begin(
      {
        method: 'POST',
        body,
        headers: options.headers(METHOD),
      },
      {
        response(response) {
          const isStream = mediaType(response) === EVENT_STREAM;
          if (response.statusCode !== 200 || !isStream) {
            response.resume();
            // It has nothing to tell, or is busy.
            if ((response.statusCode ?? 0) >= 500) again(mine);
            return;
          }
          options.read(
            response,
            (frame) => {
              pauseMs = FIRST_PAUSE_MS;
              options.deliver(frame);
            },
            () => again(mine),
          );
        },
        failed: () => again(mine),
      },
    );
    exchange = mine;
  };

  /** What belongs to a stream that was replaced has nothing to say. */
  const again = (ended: Exchange) => {
    if (isClosed || exchange !== ended) return;
    timer = setTimeout(connect, pauseMs).unref();
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  };

  return {
    start() {
      isStarted = true;
      connect();
    },
    subscribe(uri) {
      uris.add(uri);
      connect();
    },
    unsubscribe(uri) {
      if (uris.delete(uri)) connect();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      exchange?.abort();
    },
  };
}

function wanted(capabilities: Readonly<Record<string, unknown>>): Readonly<Record<string, boolean>> {
  const changes = (name: string) => isObject(capabilities[name]) && capabilities[name]['listChanged'] === true;
  return {
    ...(changes('tools') ? { toolsListChanged: true } : {}),
    ...(changes('prompts') ? { promptsListChanged: true } : {}),
    ...(changes('resources') ? { resourcesListChanged: true } : {}),
  };
}
