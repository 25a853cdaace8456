import type { Upstream } from '../../upstream/upstream.ts';
import type { Client } from '../client/client.ts';
import type { ResponseHooks } from '../routing/forwarded-request.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import type { Task } from '../servers/task-routes.ts';
import { announcedTaskId, withPublicId } from './task-messages.ts';
import { rewriteMessageUris, uriRewrite } from './uri-rewrite.ts';

export interface ForwardedTo {
  readonly client: Client;
  readonly upstream: Upstream;
  /** Whether the result may announce a task, which then belongs to the client. */
  readonly mayStartTask?: boolean;
  /** The task that the request names. */
  readonly task?: Task;
}

/** Lets the ids of tasks and the URIs of apps and skills in a result become those that the client can use. */
export function resultHooks(servers: GatewayServers, forwarded: ForwardedTo): Pick<ResponseHooks, 'rewrite'> {
  const { client, upstream, mayStartTask = false } = forwarded;
  const view = servers.viewOf(client);
  const rewriteUris = uriRewrite(view, upstream.id).rewrite;
  return {
    rewrite(result, idText) {
      const started = mayStartTask ? announcedTaskId(result.frame) : undefined;
      const task = started === undefined ? forwarded.task : servers.tasks.record(client.taskOwner, upstream, started);
      if (task === undefined || task.publicId === task.ownId) return rewriteUris?.(result, idText);
      const message = withPublicId(result.withId(idText), task);
      return view.hasPrefix ? (rewriteMessageUris(message, upstream.id) ?? message) : message;
    },
  };
}
