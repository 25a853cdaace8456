import type { Upstream } from '../../upstream/upstream.ts';
import type { Client } from '../client/client.ts';
import type { ResponseHooks } from '../routing/forwarded-request.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import type { Task } from '../servers/task-routes.ts';
import { announcedTaskId, withPublicId } from './task-messages.ts';
import { rewriteMessageUris, uriRewrite } from './uri-rewrite.ts';

/**
 * Returns the hooks for a request whose result may announce a task or name resources of an app: the task is recorded for
 * the client, and ids and URIs become those that the client can use.
 */
export function resultHooks(
  servers: GatewayServers,
  client: Client,
  upstream: Upstream,
  requested?: Task,
): Pick<ResponseHooks, 'rewrite'> {
  const view = servers.viewOf(client);
  const rewriteUris = uriRewrite(view, upstream.id).rewrite;
  return {
    rewrite(result, idText) {
      const taskId = announcedTaskId(result.frame);
      const task = taskId === undefined ? requested : servers.tasks.record(client.taskOwner, upstream, taskId);
      if (task === undefined || task.publicId === task.ownId) return rewriteUris?.(result, idText);
      const message = withPublicId(result.withId(idText), task);
      return view.hasPrefix ? (rewriteMessageUris(message, upstream.id) ?? message) : message;
    },
  };
}
