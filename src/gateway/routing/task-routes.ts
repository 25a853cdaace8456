import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import { isObject } from '../../wire/messages.ts';
import { parseFrame } from '../../wire/parse-frame.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';

/** Which server a task runs on, so that whoever asks for it later is led there. */
export interface TaskRoutes {
  find(taskId: unknown): Upstream | undefined;
  /** Reads the answer to a call that asked for a task. */
  recordFrom(upstream: Upstream): (result: ResultFrame) => void;
  /** The server spoke of a task. */
  record(upstream: Upstream, params: unknown): void;
}

const MAX_TASKS = 10_000;

export function createTaskRoutes(): TaskRoutes {
  /** The oldest first. */
  const tasks = new Map<string, Upstream>();

  const record = (upstream: Upstream, holder: unknown) => {
    const taskId = isObject(holder) ? holder['taskId'] : undefined;
    if (typeof taskId !== 'string') return;
    tasks.delete(taskId);
    tasks.set(taskId, upstream);
    const [oldest] = tasks.keys();
    if (tasks.size > MAX_TASKS && oldest !== undefined) tasks.delete(oldest);
  };

  return {
    find: (taskId) => (typeof taskId === 'string' ? tasks.get(taskId) : undefined),
    recordFrom:
      (upstream) =>
      ({ frame }) =>
        record(upstream, taskIn(frame)),
    record,
  };
}

function taskIn(frame: Frame): unknown {
  try {
    const message = parseFrame(frame);
    const result = isObject(message) ? message['result'] : undefined;
    return isObject(result) ? result['task'] : undefined;
  } catch {
    // More values than we are ready to hold: no answer that names a task is like that.
    return undefined;
  }
}
