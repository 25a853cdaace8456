import { type Frame, frameIncludes, frameLength } from '../../wire/frame.ts';
import { type OutgoingMessage, outgoingBytes, spliceMembers } from '../../wire/json/splice.ts';
import { isObject } from '../../wire/messages.ts';
import { parseFrame } from '../../wire/parse-frame.ts';
import type { Task } from '../servers/task-routes.ts';

/** The key in `_meta` that relates a message to a task. */
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** Returns whether the capabilities of a client or server contain tasks as an extension. */
export function hasTasksExtension(capabilities: unknown): boolean {
  const extensions = isObject(capabilities) ? capabilities['extensions'] : undefined;
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);
}

/**
 * Returns the id of the task that a result announces: in `task` if the client asked for a task, or in the result itself
 * if the server decided to run one.
 */
export function announcedTaskId(frame: Frame): string | undefined {
  // A result that announces a task is small.
  if (frameLength(frame) > MAX_BYTES || !frameIncludes(frame, '"task')) return undefined;
  const message = parseFrame(frame);
  const result = isObject(message) ? message['result'] : undefined;
  if (!isObject(result)) return undefined;
  const holder = result['resultType'] === 'task' ? result : result['task'];
  return isObject(holder) && typeof holder['taskId'] === 'string' ? holder['taskId'] : undefined;
}

const MAX_BYTES = 64 * 1024;

/** Returns the id of the task that a notification or a request of a server is about. */
export function taskIdIn(params: unknown): string | undefined {
  if (!isObject(params)) return undefined;
  const meta = params['_meta'];
  const related = isObject(meta) ? meta[RELATED_TASK] : undefined;
  const taskId = isObject(related) ? related['taskId'] : params['taskId'];
  return typeof taskId === 'string' ? taskId : undefined;
}

/** Replaces the id of a task in a message of its server by the one that its client uses. */
export function withPublicId(message: OutgoingMessage, { publicId, ownId }: Task): OutgoingMessage {
  if (publicId === ownId) return message;
  const text = JSON.stringify(publicId);
  return (
    spliceMembers(
      [outgoingBytes(message)],
      PATHS.map((path) => ({ path, text })),
    ) ?? message
  );
}

const PATHS = ['result', 'params'].flatMap((top) => [
  [top, 'taskId'],
  [top, 'task', 'taskId'],
  [top, '_meta', RELATED_TASK, 'taskId'],
]);
