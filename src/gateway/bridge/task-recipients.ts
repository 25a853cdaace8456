import type { Frame } from '../../wire/frame.ts';
import { type OutgoingMessage, outgoingBytes, toOutgoingMessage } from '../../wire/json/splice.ts';
import type { Client } from '../client/client.ts';
import { taskIdIn, withPublicId } from '../extensions/task-messages.ts';
import type { Task, TaskRoutes } from '../servers/task-routes.ts';
import type { ServerMessage } from './notifications.ts';

/** The clients that a message about a task is for, and the message as they understand it. */
export interface TaskRecipients {
  /** The connected clients that can reach the task: none if all have left, several if they share a token. */
  readonly clients: readonly Client[];
  /** Replaces the id of the task by the one that these clients use. */
  rewrite(message: OutgoingMessage): OutgoingMessage;
}

/** Finds out whom messages of servers about their tasks are for. */
export interface TaskAudience {
  /** Returns the recipients of a message about a known task. */
  recipientsOf(received: ServerMessage): TaskRecipients | undefined;
  /** Records the task that a notification announces, if any: it belongs to the client that the notification is for. */
  announced(received: ServerMessage, client: Client): TaskRecipients | undefined;
}

export function createTaskAudience(tasks: TaskRoutes, clients: ReadonlySet<Client>): TaskAudience {
  const toRecipients = (task: Task, recipients: readonly Client[]): TaskRecipients => ({
    clients: recipients,
    rewrite: (message) => withPublicId(message, task),
  });

  return {
    recipientsOf({ upstream, message }) {
      const task = tasks.findByOwnId(upstream, taskIdIn(message.params));
      if (task === undefined) return undefined;
      const isRecipient = (client: Client) => client.taskOwner === task.owner && client.receivesFrom(upstream);
      return toRecipients(task, [...clients].filter(isRecipient));
    },
    announced({ upstream, message }, client) {
      const taskId = isAboutTask(message.method) ? taskIdIn(message.params) : undefined;
      // An attached client uses the ids of its server.
      if (taskId === undefined || client.isAttached) return undefined;
      return toRecipients(tasks.record(client.taskOwner, upstream, taskId), [client]);
    },
  };
}

/** Returns whether a notification reports a task itself, not only something that is related to one. */
export function isAboutTask(method: unknown): boolean {
  return String(method).startsWith('notifications/tasks');
}

/** Returns a request about a task as its client understands it. */
export function toClientFrame(frame: Frame, client: Client, recipients: TaskRecipients | undefined): Frame {
  if (recipients?.clients.includes(client) !== true) return frame;
  const message = toOutgoingMessage(frame);
  if (message === undefined) return frame;
  const rewritten = recipients.rewrite(message);
  return rewritten === message ? frame : [outgoingBytes(rewritten)];
}
