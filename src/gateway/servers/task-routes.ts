import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import { isObject } from '../../wire/messages.ts';
import { parseFrame } from '../../wire/parse-frame.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';
import type { ServerRegistry } from './server-registry.ts';

/** Maps task ids to servers, so that later requests for a task reach the right server. */
export interface TaskRoutes {
  /** Returns the instance that started the task, or its successor once it was replaced and has no pending calls. */
  find(taskId: unknown): Upstream | undefined;
  /** Returns a callback that records the task from the result of a call with `task`. */
  recordFrom(upstream: Upstream): (result: ResultFrame) => void;
  /** Records the task that the params of a notification name. */
  record(upstream: Upstream, params: unknown): void;
}

const MAX_TASKS = 10_000;

interface TaskRoute {
  readonly serverId: string;
  /** Weak, because a task may outlive the instance that started it. */
  readonly startedBy: WeakRef<Upstream>;
}

export function createTaskRoutes(registry: Pick<ServerRegistry, 'servers' | 'isDraining'>): TaskRoutes {
  /** Oldest first. */
  const tasks = new Map<string, TaskRoute>();

  const record = (upstream: Upstream, holder: unknown) => {
    const taskId = isObject(holder) ? holder['taskId'] : undefined;
    if (typeof taskId !== 'string') return;
    tasks.delete(taskId);
    tasks.set(taskId, { serverId: upstream.id, startedBy: new WeakRef(upstream) });
    const [oldest] = tasks.keys();
    if (tasks.size > MAX_TASKS && oldest !== undefined) tasks.delete(oldest);
  };

  return {
    find(taskId) {
      const route = typeof taskId === 'string' ? tasks.get(taskId) : undefined;
      if (route === undefined) return undefined;
      const startedBy = route.startedBy.deref();
      if (startedBy !== undefined && registry.isDraining(startedBy)) return startedBy;
      return registry.servers.find(({ upstream }) => upstream.id === route.serverId)?.upstream;
    },
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
    // The response has too many values to parse. A response that names a task is small.
    return undefined;
  }
}
