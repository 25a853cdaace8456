import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { isObject } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import { offersTasks, serverForMethod } from '../extensions/offered-capabilities.ts';
import { ownTasksOnly } from '../extensions/own-tasks.ts';
import { resultHooks } from '../extensions/result-hooks.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import type { Task } from '../servers/task-routes.ts';
import { type ForwardingOptions, forwardRequest, threadSource } from './forward-request.ts';
import type { ClientRequest } from './routing.ts';

type Handler = (client: Client, request: ClientRequest) => void;

export interface UnknownRequestsOptions {
  readonly servers: GatewayServers;
  readonly clients: ReadonlySet<Client>;
  /** Forwards a request that names a listed tool or prompt. Returns false if no server has it. */
  readonly forwardNamed: (client: Client, request: ClientRequest, name: string) => boolean;
  /** Forwards a request that names a listed resource. Returns false if no server has it. */
  readonly forwardListed: (client: Client, request: ClientRequest, uri: string) => boolean;
}

/**
 * Handles methods that the gateway does not know: they go to the only server, to that of the task, tool, prompt or
 * resource that they name, or to the only server that offers their extension.
 */
export function createUnknownRequests(options: UnknownRequestsOptions): Handler {
  const { servers, clients, forwardNamed, forwardListed } = options;
  const { pool, tasks } = servers;

  /** A task that nobody has recorded, for example before the gateway was restarted, belongs to the only client. */
  const mayOwn = (client: Client, upstream: Upstream | undefined, taskId: string): boolean => {
    const known = upstream && tasks.findByOwnId(upstream, taskId);
    if (known !== undefined) return known.owner === client.taskOwner;
    return [...clients].every(({ taskOwner }) => taskOwner === client.taskOwner);
  };

  const forward = (client: Client, server: GatewayServer, request: ClientRequest) => {
    const upstream = pool.acquire(server, client, threadSource(request));
    const options: ForwardingOptions =
      request.method === 'tasks/list'
        ? ownTasksOnly((taskId) => mayOwn(client, upstream, taskId))
        : resultHooks(servers, { client, upstream });
    forwardRequest(client, upstream, request, options);
  };

  const forwardTask = (client: Client, request: ClientRequest, task: Task): boolean => {
    const upstream = tasks.upstreamOf(task, client);
    if (upstream === undefined || !client.receivesFrom(upstream)) return false;
    forwardRequest(client, upstream, request, {
      edits: [{ path: ['params', 'taskId'], text: JSON.stringify(task.ownId) }],
      ...resultHooks(servers, { client, upstream, task }),
    });
    return true;
  };

  const serverOfUnknownTask = (client: Client, taskId: string): GatewayServer | undefined => {
    const [only, ...others] = servers.viewOf(client).servers().filter(offersTasks);
    if (only === undefined) return undefined;
    if (others.length > 0 || !mayOwn(client, pool.find(only, client), taskId)) throw unknownTask(taskId);
    return only;
  };

  return (client, request) => {
    const { params } = request.message;
    const { taskId, uri, name } = isObject(params) ? params : {};
    const task = tasks.find(client.taskOwner, taskId);
    if (task !== undefined && forwardTask(client, request, task)) return;
    /** Other methods may use this name for something else. */
    const unknownTaskId = typeof taskId === 'string' && request.method.startsWith('tasks/') ? taskId : undefined;
    const view = servers.viewOf(client);
    const visible = view.servers();
    const [only] = visible;
    if (view.server !== undefined && only !== undefined) {
      if (unknownTaskId !== undefined && !mayOwn(client, pool.find(only, client), unknownTaskId))
        throw unknownTask(unknownTaskId);
      return forward(client, only, request);
    }
    if (typeof name === 'string' && forwardNamed(client, request, name)) return;
    if (typeof uri === 'string' && forwardListed(client, request, uri)) return;
    const server =
      (unknownTaskId === undefined ? undefined : serverOfUnknownTask(client, unknownTaskId)) ??
      serverForMethod(visible, request.method);
    if (server === undefined) throw new AppError('METHOD_NOT_FOUND', `Method not found: ${request.method}`);
    forward(client, server, request);
  };
}

/** Does not tell whether another client has such a task. */
function unknownTask(taskId: string): AppError {
  return new AppError('INVALID_PARAMS', `Task not found: ${taskId}`, { data: { taskId } });
}
