import type { Upstream } from '../../upstream/upstream.ts';
import type { ServerRegistry } from './server-registry.ts';

/** A task that a server runs for a client. */
export interface Task {
  /** The `taskOwner` of the client that started it. Nobody else can reach it. */
  readonly owner: string;
  /** The id that its client uses. */
  readonly publicId: string;
  /** The id that its server uses. */
  readonly ownId: string;
  readonly serverId: string;
  /** Weak, because a task may outlive the instance that started it. */
  readonly startedBy: WeakRef<Upstream>;
}

/** Knows which server runs a task, and for whom. */
export interface TaskRoutes {
  /** Returns the task that this owner knows under an id. */
  find(owner: string, publicId: unknown): Task | undefined;
  /** Returns the task that a server knows under an id. */
  findByOwnId(upstream: Upstream, ownId: unknown): Task | undefined;
  /** Returns the instance that started the task, or its successor once it was replaced and has no pending calls. */
  upstreamOf(task: Task): Upstream | undefined;
  /** Records a task. It gets another id for its client if a task of another server already has the same one. */
  record(owner: string, upstream: Upstream, ownId: string): Task;
}

/** The oldest tasks are forgotten first. */
const MAX_TASKS = 10_000;

export function createTaskRoutes(registry: Pick<ServerRegistry, 'servers' | 'isDraining'>): TaskRoutes {
  /** Oldest first. */
  const all = new Set<Task>();
  const byOwner = new Map<string, Map<string, Task>>();
  const byInstance = new WeakMap<Upstream, Map<string, Task>>();

  const forget = (task: Task) => {
    all.delete(task);
    const owned = byOwner.get(task.owner);
    if (owned?.get(task.publicId) === task) owned.delete(task.publicId);
    if (owned?.size === 0) byOwner.delete(task.owner);
    const upstream = task.startedBy.deref();
    const started = upstream && byInstance.get(upstream);
    if (started?.get(task.ownId) === task) started.delete(task.ownId);
  };

  const choosePublicId = (owner: string, serverId: string, ownId: string): string => {
    const owned = byOwner.get(owner);
    let publicId = ownId;
    for (let count = 1; ; count++) {
      const taken = owned?.get(publicId);
      if (taken === undefined || (taken.serverId === serverId && taken.ownId === ownId)) return publicId;
      publicId = count === 1 ? `${ownId}@${serverId}` : `${ownId}@${serverId}-${count}`;
    }
  };

  const findByOwnId = (upstream: Upstream, ownId: unknown) =>
    typeof ownId === 'string' ? byInstance.get(upstream)?.get(ownId) : undefined;

  return {
    find: (owner, publicId) => (typeof publicId === 'string' ? byOwner.get(owner)?.get(publicId) : undefined),
    findByOwnId,
    upstreamOf({ startedBy, serverId }) {
      const instance = startedBy.deref();
      if (instance !== undefined && registry.isDraining(instance)) return instance;
      return registry.servers.find(({ upstream }) => upstream.id === serverId)?.upstream;
    },
    record(owner, upstream, ownId) {
      const known = findByOwnId(upstream, ownId);
      if (known?.owner === owner) return known;
      // A restarted server may use its ids again.
      if (known !== undefined) forget(known);
      const publicId = choosePublicId(owner, upstream.id, ownId);
      const replaced = byOwner.get(owner)?.get(publicId);
      if (replaced !== undefined) forget(replaced);
      const task = { owner, publicId, ownId, serverId: upstream.id, startedBy: new WeakRef(upstream) };
      all.add(task);
      entryOf(byOwner, owner).set(publicId, task);
      entryOf(byInstance, upstream).set(ownId, task);
      const [oldest] = all;
      if (all.size > MAX_TASKS && oldest !== undefined) forget(oldest);
      return task;
    },
  };
}

function entryOf<Key>(
  tasks: { get(key: Key): Map<string, Task> | undefined; set(key: Key, value: Map<string, Task>): unknown },
  key: Key,
): Map<string, Task> {
  const found = tasks.get(key) ?? new Map<string, Task>();
  tasks.set(key, found);
  return found;
}
