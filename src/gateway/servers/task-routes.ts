import type { Upstream } from '../../upstream/upstream.ts';
import type { Client } from '../client/client.ts';
import type { ServerPool } from './server-pool.ts';
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
  /** Weak, because a task may outlive the process that started it. */
  readonly startedBy: WeakRef<Upstream>;
}

/** Knows which process of which server runs a task, and for whom. */
export interface TaskRoutes {
  /** Returns the task that this owner knows under an id. */
  find(owner: string, publicId: unknown): Task | undefined;
  /** Returns the task that a process knows under an id. Two processes may use the same one. */
  findByOwnId(upstream: Upstream, ownId: unknown): Task | undefined;
  /**
   * Returns the process that started the task, or the one that serves this client now, once the former was replaced and
   * has no pending calls.
   */
  upstreamOf(task: Task, client: Client): Upstream | undefined;
  /** Records a task. It gets another id for its client if a task of another process already has the same one. */
  record(owner: string, upstream: Upstream, ownId: string): Task;
}

/** The oldest tasks are forgotten first. */
const MAX_TASKS = 10_000;

export interface TaskRoutesOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'isDraining'>;
  readonly processes: Pick<ServerPool, 'acquire' | 'clientsOf'>;
}

export function createTaskRoutes({ registry, processes }: TaskRoutesOptions): TaskRoutes {
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

  const choosePublicId = (owner: string, upstream: Upstream, ownId: string): string => {
    const owned = byOwner.get(owner);
    const { id: serverId } = upstream;
    /** The successor of a process may use its ids again. */
    const isReused = (taken: Task) => {
      const startedBy = taken.startedBy.deref();
      const isGone = startedBy === undefined || startedBy === upstream || startedBy.isStopping;
      return taken.serverId === serverId && taken.ownId === ownId && isGone;
    };
    let publicId = ownId;
    for (let count = 1; ; count++) {
      const taken = owned?.get(publicId);
      if (taken === undefined || isReused(taken)) return publicId;
      publicId = count === 1 ? `${ownId}@${serverId}` : `${ownId}@${serverId}-${count}`;
    }
  };

  const findByOwnId = (upstream: Upstream, ownId: unknown) =>
    typeof ownId === 'string' ? byInstance.get(upstream)?.get(ownId) : undefined;

  return {
    find: (owner, publicId) => (typeof publicId === 'string' ? byOwner.get(owner)?.get(publicId) : undefined),
    findByOwnId,
    upstreamOf({ startedBy, serverId, owner }, client) {
      const started = startedBy.deref();
      if (started !== undefined && registry.isDraining(started)) return started;
      const server = registry.servers.find(({ upstream }) => upstream.id === serverId);
      if (server === undefined) return undefined;
      if (started === undefined || started.isStopping) return processes.acquire(server, client);
      // A process for one client may serve another one now.
      const isOwn = !server.isPerClient || processes.clientsOf(started).some(({ taskOwner }) => taskOwner === owner);
      return isOwn ? started : processes.acquire(server, client);
    },
    record(owner, upstream, ownId) {
      const known = findByOwnId(upstream, ownId);
      if (known?.owner === owner) return known;
      // A restarted server may use its ids again.
      if (known !== undefined) forget(known);
      const publicId = choosePublicId(owner, upstream, ownId);
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
