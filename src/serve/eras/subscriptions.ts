import { AppError } from '../../base/errors.ts';
import { SUBSCRIPTION_KEY } from '../../wire/envelope-keys.ts';
import { isObject } from '../../wire/messages.ts';
import type { IncomingRequest } from '../../wire/rpc/incoming-requests.ts';
import type { ChangeListener } from '../changes.ts';
import type { Server } from '../server.ts';
import type { ClientLink } from './era.ts';
import { checkSubscriptionLimits } from './subscription-limits.ts';

/** The streams of `subscriptions/listen` (2026-07-28). Each stays open until the client cancels it or disconnects. */
export interface Subscriptions extends ChangeListener {
  /** Resolves when the stream ends. */
  listen(request: IncomingRequest): Promise<void>;
  close(): void;
  /** How many streams are open. */
  readonly count: number;
}

export function createSubscriptions(client: ClientLink, server: Server): Subscriptions {
  const streams = new Map<IncomingRequest, StreamFilter>();
  const ends = new Set<() => void>();
  const tagged = (request: IncomingRequest) => ({ _meta: { [SUBSCRIPTION_KEY]: request.id } });
  /** Sends a notification to every stream with a matching filter. */
  const notifyStreams = (matches: (filter: StreamFilter) => boolean, method: string, params: object = {}) => {
    for (const [request, filter] of streams)
      if (matches(filter)) client.notify(method, { ...tagged(request), ...params }, request.exchange);
  };

  return {
    listen(request) {
      const filter = readFilter(request.params, server);
      let subscribed = filter.uris.size;
      for (const { uris } of streams.values()) subscribed += uris.size;
      checkSubscriptionLimits(filter.uris, subscribed);
      const acknowledged = { ...tagged(request), notifications: toAcknowledged(filter) };
      client.notify('notifications/subscriptions/acknowledged', acknowledged, request.exchange);
      streams.set(request, filter);
      return new Promise((resolve) => {
        const end = () => {
          streams.delete(request);
          ends.delete(end);
          resolve();
        };
        ends.add(end);
        request.signal.addEventListener('abort', end);
      });
    },
    close() {
      for (const end of ends) end();
    },
    get count() {
      return streams.size;
    },
    toolsChanged: () => notifyStreams(({ tools }) => tools, 'notifications/tools/list_changed'),
    promptsChanged: () => notifyStreams(({ prompts }) => prompts, 'notifications/prompts/list_changed'),
    resourcesChanged: () => notifyStreams(({ resources }) => resources, 'notifications/resources/list_changed'),
    resourceUpdated: (uri) => notifyStreams(({ uris }) => uris.has(uri), 'notifications/resources/updated', { uri }),
  };
}

/** The notifications that one stream receives. */
interface StreamFilter {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly uris: ReadonlySet<string>;
}

function readFilter(params: unknown, server: Server): StreamFilter {
  const given = isObject(params) && isObject(params['notifications']) ? params['notifications'] : {};
  const hasResources = server.resources !== undefined;
  return {
    tools: given['toolsListChanged'] === true,
    prompts: server.prompts !== undefined && given['promptsListChanged'] === true,
    resources: hasResources && given['resourcesListChanged'] === true,
    uris: new Set(hasResources ? readUris(given['resourceSubscriptions'] ?? []) : []),
  };
}

function readUris(given: unknown): readonly string[] {
  if (Array.isArray(given) && given.every((uri) => typeof uri === 'string')) return given;
  throw new AppError('INVALID_PARAMS', 'params.notifications.resourceSubscriptions must be a list of URIs.');
}

function toAcknowledged({ tools, prompts, resources, uris }: StreamFilter): Readonly<Record<string, unknown>> {
  return {
    ...(tools ? { toolsListChanged: true } : {}),
    ...(prompts ? { promptsListChanged: true } : {}),
    ...(resources ? { resourcesListChanged: true } : {}),
    ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
  };
}
