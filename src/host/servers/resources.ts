import { AppError } from '../../base/errors.ts';
import { neutralize, oneLine } from '../../base/text/safe-text.ts';
import { unknownServers } from '../../config/unknown-server.ts';
import type { RequestOptions } from '../../upstream/connection/own-request.ts';
import { isObject } from '../../wire/messages.ts';
import type { HostServer } from './host-server.ts';
import type { HostServers } from './host-servers.ts';
import type { SendRequest } from './send-request.ts';

/** A resource or resource template, as its server lists it; texts are safe to display. */
export interface HostResource {
  readonly server: string;
  /** For a template, the URI pattern. */
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface HostResources {
  /** Waits for servers that are starting, and leaves out those that fail. */
  list(options?: ListOptions): Promise<readonly HostResource[]>;
  templates(options?: ListOptions): Promise<readonly HostResource[]>;
  /** Reads a resource. Default server: the one that lists the URI, or the only one with resources. */
  read(uri: string, options?: RequestOptions & { readonly server?: string }): Promise<ReadResource>;
  /** Finds the server that `read` uses. */
  find(uri: string, options?: ListOptions): Promise<HostServer>;
}

/** As the server sent it: not safe to display. */
export interface ReadResource {
  readonly contents: readonly {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    /** Base64. */
    readonly blob?: string;
  }[];
}

export interface ListOptions {
  /** Only items of this server. */
  readonly server?: string | undefined;
  /** Stops waiting for servers that are starting. */
  readonly signal?: AbortSignal | undefined;
}

/** Time limit for servers that are starting. */
export const LIST_TIMEOUT_MS = 10_000;

export function createHostResources(servers: HostServers, sendRequest: SendRequest): HostResources {
  const list = async (kind: 'resources' | 'resourceTemplates', { server, signal }: ListOptions = {}) => {
    const selected = selectServers(servers, server);
    await servers.settled(kind, { servers: selected, timeoutMs: LIST_TIMEOUT_MS, signal });
    if (servers.isClosed()) return [];
    return selected.flatMap(({ upstream, catalog }) =>
      catalog.list(kind).items.map(({ key, json }) => toResource(upstream.id, key, json)),
    );
  };
  const find = async (uri: string, { server, signal }: ListOptions = {}): Promise<HostServer> => {
    const selected = selectServers(servers, server);
    await servers.settled('resources', { servers: selected, timeoutMs: LIST_TIMEOUT_MS, signal });
    const capable = selected.filter(({ upstream }) => isObject(upstream.initializeResult?.capabilities['resources']));
    const owner = capable.find(({ catalog }) => catalog.list('resources').items.some(({ key }) => key === uri));
    const [only, ...others] = capable;
    if (owner !== undefined) return owner;
    if (only !== undefined && others.length === 0) return only;
    const names = capable.map(({ upstream }) => upstream.id).join(', ');
    throw new AppError(
      'RESOURCE_NOT_FOUND',
      names === '' ? 'No server has resources.' : `No server lists ${oneLine(uri, 200)}. Name the server: ${names}.`,
    );
  };
  return {
    list: (options) => list('resources', options),
    templates: (options) => list('resourceTemplates', options),
    find,
    async read(uri, { server, ...options } = {}) {
      const result = await sendRequest(
        await find(uri, { server, signal: options.signal }),
        'resources/read',
        { uri },
        options,
      );
      return requireList<ReadResource>(result, 'contents');
    },
  };
}

/** Returns all servers, or the one with this id. */
export function selectServers({ all }: HostServers, serverId: string | undefined): readonly HostServer[] {
  if (serverId === undefined) return all;
  const found = all.filter(({ upstream }) => upstream.id === serverId);
  if (found.length > 0) return found;
  throw unknownServers(oneLine(String(serverId), 100), { servers: all.map(({ upstream }) => upstream) });
}

function toResource(server: string, uri: string, json: string): HostResource {
  const { name, title, description, mimeType } = Object(JSON.parse(json));
  const text = (key: string, value: unknown) =>
    typeof value === 'string' ? { [key]: neutralize(value, { multiline: key === 'description' }) } : {};
  return {
    server,
    uri,
    name: oneLine(typeof name === 'string' ? name : uri),
    ...text('title', title),
    ...text('description', description),
    ...text('mimeType', mimeType),
  };
}

/** Checks that a result contains the list that the caller relies on. */
export function requireList<Result>(result: unknown, key: keyof Result & string): Result {
  if (isObject(result) && Array.isArray(result[key]) && result[key].every(isObject)) return result as Result;
  throw new AppError('BAD_ANSWER', `the server answered without ${key}.`);
}
