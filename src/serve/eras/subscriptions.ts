import { AppError } from '../../base/errors.ts';
import { SUBSCRIPTION_KEY } from '../../wire/envelope-keys.ts';
import { isObject } from '../../wire/messages.ts';
import type { IncomingRequest } from '../../wire/rpc/incoming-requests.ts';
import type { ResourceListener } from '../resources/resource-changes.ts';
import type { ClientLink } from './era.ts';
import { checkSubscriptionLimits } from './subscription-limits.ts';

/** The streams of `subscriptions/listen` (2026-07-28). Each stays open until the client cancels it or disconnects. */
export interface Subscriptions extends ResourceListener {
  /** Resolves when the stream ends. */
  listen(request: IncomingRequest): Promise<void>;
  toolsChanged(): void;
  close(): void;
}

export function createSubscriptions(client: ClientLink, options: { readonly hasResources: boolean }): Subscriptions {
  const streams = new Map<IncomingRequest, StreamFilter>();
  const ends = new Set<() => void>();
  const tagged = (request: IncomingRequest) => ({ _meta: { [SUBSCRIPTION_KEY]: request.id } });
  /** Sends a notification to every stream with a matching filter. */
  const notifyStreams = (matches: (filter: StreamFilter) => boolean, method: string, params: object = {}) => {
    for (const [request, filter] of streams)
      if (matches(filter)) client.notify(method, { ...tagged(request), ...params });
  };

  return {
    listen(request) {
      const filter = readFilter(request.params, options.hasResources);
      let subscribed = filter.uris.size;
      for (const { uris } of streams.values()) subscribed += uris.size;
      checkSubscriptionLimits(filter.uris, subscribed);
      client.notify('notifications/subscriptions/acknowledged', {
        ...tagged(request),
        notifications: toAcknowledged(filter),
      });
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
    toolsChanged: () => notifyStreams(({ tools }) => tools, 'notifications/tools/list_changed'),
    resourcesChanged: () => notifyStreams(({ resources }) => resources, 'notifications/resources/list_changed'),
    resourceUpdated: (uri) => notifyStreams(({ uris }) => uris.has(uri), 'notifications/resources/updated', { uri }),
  };
}

/** The notifications that one stream receives. */
interface StreamFilter {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly uris: ReadonlySet<string>;
}

function readFilter(params: unknown, hasResources: boolean): StreamFilter {
  const given = isObject(params) && isObject(params['notifications']) ? params['notifications'] : {};
  return {
    tools: given['toolsListChanged'] === true,
    resources: hasResources && given['resourcesListChanged'] === true,
    uris: new Set(hasResources ? readUris(given['resourceSubscriptions'] ?? []) : []),
  };
}

function readUris(given: unknown): readonly string[] {
  if (Array.isArray(given) && given.every((uri) => typeof uri === 'string')) return given;
  throw new AppError('INVALID_PARAMS', 'params.notifications.resourceSubscriptions must be a list of URIs.');
}

function toAcknowledged({ tools, resources, uris }: StreamFilter): Readonly<Record<string, unknown>> {
  return {
    ...(tools ? { toolsListChanged: true } : {}),
    ...(resources ? { resourcesListChanged: true } : {}),
    ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
  };
}
