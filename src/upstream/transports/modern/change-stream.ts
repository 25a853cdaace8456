import { backoffDelay } from '../../../base/backoff.ts';
import type { Frame } from '../../../wire/frame.ts';
import { isObject, type JsonObject, requestText } from '../../../wire/messages.ts';
import type { ListenStream, ModernCarrier } from './carrier.ts';
import { toLegacyNotification } from './change-notification.ts';

export interface ChangeStreamOptions {
  readonly carrier: Pick<ModernCarrier, 'listen'>;
  /** Capabilities of the server, so that we subscribe only to what it supports. */
  readonly capabilities: JsonObject;
  readonly meta: () => JsonObject;
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

export function createChangeStream({ carrier, capabilities, meta, deliver }: ChangeStreamOptions): ChangeStream {
  const uris = new Set<string>();
  /** Oldest first. */
  const taskIds = new Set<string>();
  let stream: ListenStream | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let isClosed = false;
  let failures = 0;
  let count = 0;

  const connect = () => {
    clearTimeout(timer);
    stream?.close();
    stream = undefined;
    const notifications = {
      ...toListChangedFilters(capabilities),
      ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
      ...(taskIds.size > 0 ? { taskIds: [...taskIds] } : {}),
    };
    if (isClosed || !isStarted || Object.keys(notifications).length === 0) return;
    const id = `listen-${++count}`;
    const number = count;
    const text = requestText(id, METHOD, { notifications, _meta: meta() });
    stream = carrier.listen(
      { id, method: METHOD, text },
      {
        frame(frame) {
          failures = 0;
          const notification = toLegacyNotification(frame);
          if (notification !== undefined) deliver(notification);
        },
        // The end of a stream that was replaced does not matter.
        ended: () => (number === count ? reconnect() : undefined),
      },
    );
  };

  const reconnect = () => {
    if (!isClosed) timer = setTimeout(connect, backoffDelay(++failures, RECONNECT_DELAYS)).unref();
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
      stream?.close();
    },
  };
}

function toListChangedFilters(capabilities: JsonObject): Readonly<Record<string, boolean>> {
  const changes = (name: string) => isObject(capabilities[name]) && capabilities[name]['listChanged'] === true;
  return {
    ...(changes('tools') ? { toolsListChanged: true } : {}),
    ...(changes('prompts') ? { promptsListChanged: true } : {}),
    ...(changes('resources') ? { resourcesListChanged: true } : {}),
  };
}
