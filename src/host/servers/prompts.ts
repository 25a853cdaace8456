import { AppError } from '../../base/errors.ts';
import { neutralize, oneLine } from '../../base/text/safe-text.ts';
import type { RequestOptions } from '../../upstream/connection/own-request.ts';
import { isObject } from '../../wire/messages.ts';
import type { HostServers } from './host-servers.ts';
import { LIST_TIMEOUT_MS, type ListOptions, requireList, selectServers } from './resources.ts';
import type { SendRequest } from './send-request.ts';

/** A prompt that a person may choose. Texts are safe to display; names are exactly the server's. */
export interface HostPrompt {
  readonly server: string;
  /** The server's own name. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly isRequired: boolean;
  }[];
}

/** As the server sent them: not safe to display. */
export interface PromptMessages {
  readonly description?: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: Readonly<Record<string, unknown>>;
  }[];
}

export interface HostPrompts {
  /** Waits for servers that are starting, and leaves out those that fail. */
  list(options?: ListOptions): Promise<readonly HostPrompt[]>;
  /** Returns the messages of a prompt. */
  get(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: RequestOptions,
  ): Promise<PromptMessages>;
}

export function createHostPrompts(servers: HostServers, sendRequest: SendRequest): HostPrompts {
  return {
    async list({ server, signal } = {}) {
      const selected = selectServers(servers, server);
      await servers.settled('prompts', { servers: selected, timeoutMs: LIST_TIMEOUT_MS, signal });
      if (servers.isClosed()) return [];
      return selected.flatMap(({ upstream, catalog }) =>
        catalog.list('prompts').items.map(({ key, json }) => toPrompt(upstream.id, key, json)),
      );
    },
    async get(serverId, name, args = {}, options = {}) {
      // Untyped callers may pass anything, and undefined must not select every server.
      const [server] = selectServers(servers, String(serverId));
      if (server === undefined) throw new AppError('INTERNAL', 'A server that was just found is missing.');
      const result = await sendRequest(server, 'prompts/get', { name, arguments: args }, options);
      return requireList<PromptMessages>(result, 'messages');
    },
  };
}

export function toPrompt(server: string, name: string, json: string): HostPrompt {
  const { title, description, arguments: args } = Object(JSON.parse(json));
  const list: readonly unknown[] = Array.isArray(args) ? args : [];
  return {
    server,
    name,
    ...(typeof title === 'string' ? { title: oneLine(title) } : {}),
    ...readDescription(description),
    arguments: list.filter(isObject).map((arg) => ({
      name: String(arg['name']),
      ...readDescription(arg['description']),
      isRequired: arg['required'] === true,
    })),
  };
}

function readDescription(description: unknown): { description?: string } {
  return typeof description === 'string' ? { description: neutralize(description, { multiline: true }) } : {};
}
