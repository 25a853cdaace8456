import { setBounded } from '../../base/set-bounded.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import { isObject } from '../../wire/messages.ts';
import { parseFrame } from '../../wire/parse-frame.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServer } from './gateway-server.ts';
import type { ServerRegistry } from './server-registry.ts';

/** Maps task ids to servers, so that later requests for a task reach the right server. */
export interface TaskRoutes {
  /**
   * Returns the process that started the task, or the one that serves this client now, once the former was replaced and
   * has no pending calls.
   */
  find(taskId: unknown, client: Client): Upstream | undefined;
  /** Returns the client whose task these params of a message name: as their own, or as the one that it relates to. */
  ownerOf(upstream: Upstream, params: unknown): Client | undefined;
  /** Returns a callback that records the task of this client from the result of a call with `task`. */
  recordFrom(upstream: Upstream, client: Client): (result: ResultFrame) => void;
  /** Records the task that the params of a notification name. */
  record(upstream: Upstream, params: unknown): void;
}

const MAX_TASKS = 10_000;

interface TaskRoute {
  readonly serverId: string;
  /** Weak, because a task may outlive the process that started it. */
  readonly startedBy: WeakRef<Upstream>;
  /** Weak, because a task may outlive its client. Undefined if only the server has named the task. */
  readonly owner: WeakRef<Client> | undefined;
}

export interface TaskRoutesOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'isDraining'>;
  readonly acquire: (server: GatewayServer, client: Client) => Upstream;
}

const RELATED_TASK_KEY = 'io.modelcontextprotocol/related-task';

export function createTaskRoutes({ registry, acquire }: TaskRoutesOptions): TaskRoutes {
  /** Oldest first. Two processes may use the same id. */
  const tasks = new Map<string, readonly TaskRoute[]>();

  const record = (upstream: Upstream, holder: unknown, client?: Client) => {
    const taskId = taskIdOf(holder);
    if (taskId === undefined) return;
    const routes = tasks.get(taskId) ?? [];
    const known = routes.find(({ startedBy }) => startedBy.deref() === upstream);
    const owner = client === undefined ? known?.owner : new WeakRef(client);
    const others = routes.filter((route) => route !== known && route.startedBy.deref() !== undefined);
    tasks.delete(taskId);
    setBounded(
      tasks,
      taskId,
      [...others, { serverId: upstream.id, startedBy: new WeakRef(upstream), owner }],
      MAX_TASKS,
    );
  };

  return {
    find(taskId, client) {
      const routes = typeof taskId === 'string' ? (tasks.get(taskId) ?? []) : [];
      const route = routes.findLast(({ owner }) => owner?.deref() === client) ?? routes.at(-1);
      if (route === undefined) return undefined;
      const startedBy = route.startedBy.deref();
      const isRunning = startedBy !== undefined && (!startedBy.isStopping || registry.isDraining(startedBy));
      if (isRunning) return startedBy;
      const server = registry.servers.find(({ upstream }) => upstream.id === route.serverId);
      return server && acquire(server, client);
    },
    ownerOf(upstream, params) {
      if (!isObject(params)) return undefined;
      const meta = params['_meta'];
      const taskId = taskIdOf(params) ?? taskIdOf(isObject(meta) ? meta[RELATED_TASK_KEY] : undefined);
      const routes = taskId === undefined ? undefined : tasks.get(taskId);
      return routes?.find(({ startedBy }) => startedBy.deref() === upstream)?.owner?.deref();
    },
    recordFrom:
      (upstream, client) =>
      ({ frame }) =>
        record(upstream, taskIn(frame), client),
    record: (upstream, params) => record(upstream, params),
  };
}

function taskIdOf(holder: unknown): string | undefined {
  const taskId = isObject(holder) ? holder['taskId'] : undefined;
  return typeof taskId === 'string' ? taskId : undefined;
}

function taskIn(frame: Frame): unknown {
  try {
    const message = parseFrame(frame);
    const result = isObject(message) ? message['result'] : undefined;
    return isObject(result) ? result['task'] : undefined;
  } catch {
    // The response has too many values to parse. A response that names a task is small.
    return undefined;
  }
}
