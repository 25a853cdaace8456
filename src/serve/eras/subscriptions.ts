import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import type { IncomingRequest } from '../../wire/rpc/incoming-requests.ts';
import type { ResourceListener } from '../resources/resource-changes.ts';
import type { ClientLink } from './era.ts';
import { refuseTooMuchToFollow } from './subscription-limits.ts';

/** The streams of `subscriptions/listen` (2026-07-28): each stays open until its client cancels it or leaves. */
export interface Subscriptions extends ResourceListener {
  /** Resolves when the stream ends. */
  listen(request: IncomingRequest): Promise<void>;
  toolsChanged(): void;
  close(): void;
}

export function createSubscriptions(client: ClientLink, options: { readonly hasResources: boolean }): Subscriptions {
  const streams = new Map<IncomingRequest, Wanted>();
  const ends = new Set<() => void>();
  const tagged = (request: IncomingRequest) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': request.id } });
  /** Tells the streams that want it. */
  const tell = (isWanted: (wanted: Wanted) => boolean, method: string, params: object = {}) => {
    for (const [request, wanted] of streams)
      if (isWanted(wanted)) client.notify(method, { ...tagged(request), ...params });
  };

  return {
    listen(request) {
      const wanted = readWanted(request.params, options.hasResources);
      let followed = wanted.uris.size;
      for (const { uris } of streams.values()) followed += uris.size;
      refuseTooMuchToFollow(wanted.uris, followed);
      client.notify('notifications/subscriptions/acknowledged', {
        ...tagged(request),
        notifications: toHonoured(wanted),
      });
      streams.set(request, wanted);
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
    toolsChanged: () => tell(({ tools }) => tools, 'notifications/tools/list_changed'),
    resourcesChanged: () => tell(({ resources }) => resources, 'notifications/resources/list_changed'),
    resourceUpdated: (uri) => tell(({ uris }) => uris.has(uri), 'notifications/resources/updated', { uri }),
  };
}

/** What one stream is told of. */
interface Wanted {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly uris: ReadonlySet<string>;
}

function readWanted(params: unknown, hasResources: boolean): Wanted {
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

function toHonoured({ tools, resources, uris }: Wanted): Readonly<Record<string, unknown>> {
  return {
    ...(tools ? { toolsListChanged: true } : {}),
    ...(resources ? { resourcesListChanged: true } : {}),
    ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
  };
}
