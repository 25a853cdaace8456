import { AppError } from '../../base/errors.ts';
import { checkSubscriptionLimits } from '../../serve/eras/subscription-limits.ts';
import { isObject, notificationText, RawJson, resultText } from '../../wire/messages.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { UnansweredRequest } from '../client/unanswered-request.ts';

/** The client behind the streams. */
export interface ListeningClient {
  addUnanswered(request: UnansweredRequest): void;
  removeUnanswered(request: UnansweredRequest): void;
  /** Resolves with whether a server accepts the subscription to a resource. */
  subscribe(uri: string): Promise<boolean>;
  unsubscribe(uri: string): void;
  /** Throws if the client has not declared that it can handle tasks. */
  checkTasks(): void;
  /** Converts the final response to the modern era. */
  respond(exchange: Exchange, idText: string, response: string): void;
}

interface ListenRequest {
  readonly exchange: Exchange;
  /** The client's id, as JSON text. It tags each notification of the stream. */
  readonly idText: string;
  readonly params: unknown;
}

/** The open `subscriptions/listen` requests of one modern client. */
export interface ListenStreams {
  readonly size: number;
  /** Throws if the params are invalid or exceed the limits. */
  listen(request: ListenRequest): void;
  /** Sends a notification of the legacy era to the streams that asked for it. All others are dropped. */
  notify(message: unknown): void;
}

/** How long the acknowledgment waits for servers. A subscription that is accepted later still counts. */
const ACKNOWLEDGE_WITHIN_MS = 5_000;

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

/** The member of the filter that asks for a notification. */
const FILTERS: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
};

export function createListenStreams(client: ListeningClient): ListenStreams {
  const streams = new Set<Stream>();

  const isListening = (uri: string) => [...streams].some(({ uris }) => uris.has(uri));

  const end = (stream: Stream): boolean => {
    if (!streams.delete(stream)) return false;
    client.removeUnanswered(stream);
    for (const uri of stream.uris) if (!isListening(uri)) client.unsubscribe(uri);
    return true;
  };

  /** Tells the client what it will be notified of, once the servers have accepted or refused its subscriptions. */
  const acknowledge = async (stream: Stream, added: readonly string[]): Promise<void> => {
    const subscribe = async (uri: string) => {
      if (!(await client.subscribe(uri))) stream.uris.delete(uri);
    };
    await Promise.race([Promise.all(added.map(subscribe)), delay(ACKNOWLEDGE_WITHIN_MS)]);
    if (!streams.has(stream)) return;
    stream.isAcknowledged = true;
    const notifications = toAcknowledged(stream);
    stream.exchange.send(tagged(stream, 'notifications/subscriptions/acknowledged', { notifications }));
  };

  return {
    get size() {
      return streams.size;
    },
    listen({ exchange, idText, params }) {
      const { kinds, uris, taskIds } = readFilter(params);
      if (taskIds.size > 0) client.checkTasks();
      const count = [...streams].reduce(
        (sum, stream) => sum + stream.uris.size + stream.taskIds.size,
        uris.size + taskIds.size,
      );
      checkSubscriptionLimits([...uris, ...taskIds], count);
      const added = [...uris].filter((uri) => !isListening(uri));
      const stream: Stream = {
        ...{ exchange, idText, kinds, uris, taskIds, isAcknowledged: false },
        ...{ upstream: undefined, slot: 0, sequence: 0 },
        cancel: () => void (end(stream) && exchange.respond(undefined)),
        abandon: () => void (end(stream) && client.respond(exchange, idText, resultText(idText, {}))),
      };
      streams.add(stream);
      client.addUnanswered(stream);
      void acknowledge(stream, added);
    },
    notify(message) {
      const { method, params } = isObject(message) ? message : {};
      const given = isObject(params) ? params : {};
      const isMatch = matcherFor(String(method), given);
      for (const stream of streams)
        if (stream.isAcknowledged && isMatch(stream)) stream.exchange.send(tagged(stream, String(method), given));
    },
  };
}

/** One stream. It is unanswered until it ends. */
interface Stream extends UnansweredRequest {
  /** The members of the filter that are true. */
  readonly kinds: ReadonlySet<string>;
  readonly uris: Set<string>;
  readonly taskIds: ReadonlySet<string>;
  /** The acknowledgment must be the first message of a stream. */
  isAcknowledged: boolean;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}

function matcherFor(method: string, { uri, taskId }: Readonly<Record<string, unknown>>): (stream: Stream) => boolean {
  if (method === 'notifications/tasks' && typeof taskId === 'string') return ({ taskIds }) => taskIds.has(taskId);
  if (method === 'notifications/resources/updated' && typeof uri === 'string')
    // Servers may report a resource below the one that was subscribed to.
    return ({ uris }) => uris.has(uri) || [...uris].some((subscribed) => uri.startsWith(subscribed));
  const kind = Object.hasOwn(FILTERS, method) ? FILTERS[method] : undefined;
  return ({ kinds }) => kind !== undefined && kinds.has(kind);
}

function tagged({ idText }: Stream, method: string, params: Readonly<Record<string, unknown>>): string {
  const { _meta, ...rest } = params;
  const others = isObject(_meta) ? JSON.stringify(_meta).slice(1, -1) : '';
  const meta = `{${others}${others === '' ? '' : ','}"${SUBSCRIPTION_ID}":${idText}}`;
  const members = JSON.stringify(rest).slice(1);
  return notificationText(method, new RawJson(`{"_meta":${meta}${members === '}' ? '' : ','}${members}`));
}

function readFilter(params: unknown): Pick<Stream, 'kinds' | 'uris' | 'taskIds'> {
  const given = isObject(params) && isObject(params['notifications']) ? params['notifications'] : {};
  const kinds = Object.values(FILTERS).filter((kind) => given[kind] === true);
  const stringsIn = (name: string) => new Set(readStrings(given[name] ?? [], name));
  return { kinds: new Set(kinds), uris: stringsIn('resourceSubscriptions'), taskIds: stringsIn('taskIds') };
}

function readStrings(given: unknown, name: string): readonly string[] {
  if (Array.isArray(given) && given.every((item) => typeof item === 'string')) return given;
  throw new AppError('INVALID_PARAMS', `params.notifications.${name} must be a list of strings.`);
}

function toAcknowledged({ kinds, uris, taskIds }: Stream): Readonly<Record<string, unknown>> {
  return {
    ...Object.fromEntries([...kinds].map((kind) => [kind, true])),
    ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
    ...(taskIds.size > 0 ? { taskIds: [...taskIds] } : {}),
  };
}
