import { backoffDelay } from '../../../../base/backoff.ts';
import type { Frame } from '../../../../wire/frame.ts';
import { isObject, requestText } from '../../../../wire/messages.ts';
import type { Exchange, StartExchange } from '../exchange/exchange.ts';
import { EVENT_STREAM, mediaType } from '../response/media-type.ts';
import type { ReadEvents } from '../response/open-responses.ts';

export interface ChangeStreamOptions {
  readonly startExchange: StartExchange;
  /** Capabilities of the server, so that we subscribe only to what it supports. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly meta: () => Readonly<Record<string, unknown>>;
  readonly headers: (method: string) => Readonly<Record<string, string>>;
  readonly read: ReadEvents;
  readonly deliver: (frame: Frame) => void;
}

/** The stream over which a modern server reports changes. */
export interface ChangeStream {
  start(): void;
  subscribe(uri: string): void;
  unsubscribe(uri: string): void;
  /** Lets the server report the progress of a task. */
  followTask(taskId: string): void;
  close(): void;
}

const RECONNECT_DELAYS = { firstMs: 1_000, maxMs: 60_000 };
const METHOD = 'subscriptions/listen';
/** Only the newest tasks are followed. Clients can ask for the state of all others. */
const MAX_TASKS = 100;

export function createChangeStream(options: ChangeStreamOptions): ChangeStream {
  const uris = new Set<string>();
  /** Oldest first. */
  const taskIds = new Set<string>();
  let exchange: Exchange | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let isClosed = false;
  let failures = 0;
  let count = 0;

  const connect = () => {
    clearTimeout(timer);
    exchange?.abort();
    const notifications = {
      ...toListChangedFilters(options.capabilities),
      ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
      ...(taskIds.size > 0 ? { taskIds: [...taskIds] } : {}),
    };
    if (isClosed || !isStarted || Object.keys(notifications).length === 0) return;
    const body = requestText(`listen-${++count}`, METHOD, { notifications, _meta: options.meta() });
    const mine = options.startExchange(
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
            // Not supported, or the server is busy.
            if ((response.statusCode ?? 0) >= 500) reconnect(mine);
            return;
          }
          options.read(
            response,
            (frame) => {
              failures = 0;
              options.deliver(frame);
            },
            () => reconnect(mine),
          );
        },
        failed: () => reconnect(mine),
      },
    );
    exchange = mine;
  };

  /** Reconnects with backoff. Ignores the end of a stream that was replaced. */
  const reconnect = (ended: Exchange) => {
    if (isClosed || exchange !== ended) return;
    timer = setTimeout(connect, backoffDelay(++failures, RECONNECT_DELAYS)).unref();
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
    followTask(taskId) {
      taskIds.add(taskId);
      const [oldest] = taskIds;
      if (taskIds.size > MAX_TASKS && oldest !== undefined) taskIds.delete(oldest);
      connect();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      exchange?.abort();
    },
  };
}

function toListChangedFilters(capabilities: Readonly<Record<string, unknown>>): Readonly<Record<string, boolean>> {
  const changes = (name: string) => isObject(capabilities[name]) && capabilities[name]['listChanged'] === true;
  return {
    ...(changes('tools') ? { toolsListChanged: true } : {}),
    ...(changes('prompts') ? { promptsListChanged: true } : {}),
    ...(changes('resources') ? { resourcesListChanged: true } : {}),
  };
}
