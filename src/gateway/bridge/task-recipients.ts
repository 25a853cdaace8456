import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import { outgoingBytes, toOutgoingMessage } from '../../wire/json/splice.ts';
import type { Client } from '../client/client.ts';
import { taskIdIn, withPublicId } from '../extensions/task-messages.ts';
import type { Task, TaskRoutes } from '../servers/task-routes.ts';
import { recipientsOf, type UpstreamMessage } from './notifications.ts';

/** Delivers what servers send about their tasks to the clients that started them, and to nobody else. */
export interface TaskRecipients {
  /** Returns false if the notification is not about a known task. */
  notify(received: UpstreamMessage): boolean;
  /** Records the task that a notification announces, if it can be for one client only. */
  announced(received: UpstreamMessage): void;
  /** Returns the client of the task that a server request is about, and the request with the id that the client uses. */
  find(received: UpstreamMessage): { readonly client: Client; readonly frame: Frame } | undefined;
}

export function createTaskRecipients(tasks: TaskRoutes, clients: ReadonlySet<Client>): TaskRecipients {
  const taskOf = ({ upstream, message }: UpstreamMessage) => tasks.findByOwnId(upstream, taskIdIn(message.params));

  const clientsOf = ({ owner }: Task, upstream: Upstream) =>
    [...clients].filter((client) => client.taskOwner === owner && client.receivesFrom(upstream));

  return {
    notify(received) {
      const task = taskOf(received);
      if (task === undefined) return false;
      const { upstream, frame } = received;
      const message = toOutgoingMessage(frame);
      if (message === undefined) return true;
      const forwarded = withPublicId(message, task);
      for (const client of clientsOf(task, upstream)) client.serverRequests.notify(forwarded);
      return true;
    },
    announced(received) {
      const { upstream, message } = received;
      const taskId = String(message.method).startsWith('notifications/tasks') ? taskIdIn(message.params) : undefined;
      const [only, ...others] = recipientsOf(upstream, clients);
      if (taskId !== undefined && only !== undefined && others.length === 0 && !only.isAttached)
        tasks.record(only.taskOwner, upstream, taskId);
    },
    find(received) {
      const task = taskOf(received);
      const [client] = task === undefined ? [] : clientsOf(task, received.upstream);
      if (task === undefined || client === undefined) return undefined;
      const message = toOutgoingMessage(received.frame);
      if (message === undefined || task.publicId === task.ownId) return { client, frame: received.frame };
      return { client, frame: [outgoingBytes(withPublicId(message, task))] };
    },
  };
}
