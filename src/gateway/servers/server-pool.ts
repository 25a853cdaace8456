import { AppError } from '../../base/errors.ts';
import { drainUpstream } from '../../upstream/lifecycle/drain-upstream.ts';
import { isStartingOrReady } from '../../upstream/state.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { capabilityKey } from '../client/capability-key.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServer } from './gateway-server.ts';
import { type Occupant, Occupants, type ThreadSource } from './occupants.ts';
import type { CreateProcess } from './server-factory.ts';
import type { ServerRegistry } from './server-registry.ts';

export interface ServerPoolOptions {
  readonly clients: ReadonlySet<Client>;
  readonly registry: ServerRegistry;
  readonly createProcess: CreateProcess;
  /** Returns the capabilities that the shared processes were told: those of the first client. */
  readonly commonCapabilities: () => unknown;
  /** Called when a server gets one process per client from now on. */
  readonly onSeparated: (server: GatewayServer) => void;
  readonly limits?: Partial<PoolLimits> | undefined;
}

export interface PoolLimits {
  /**
   * Processes of one server besides its shared one. At the limit, the pool stops the process of an idle thread, or
   * throws `BUSY`.
   */
  readonly maxExtraProcesses: number;
  /** How long a Codex thread keeps its processes without a call. Does not apply to the first thread of a connection. */
  readonly threadIdleMs: number;
}

const DEFAULT_POOL_LIMITS: PoolLimits = { maxExtraProcesses: 100, threadIdleMs: 30 * 60_000 };

/** A process of a server besides its shared one, `GatewayServer.upstream`. */
interface ExtraProcess {
  readonly server: GatewayServer;
  readonly upstream: Upstream;
  readonly capabilities: unknown;
  /** The occupant of the process, or the capabilities of the clients that share it. */
  key: Occupant | string;
  clients: Set<Client>;
}

/**
 * The processes of all servers, by server and by what its clients must have in common to share one. The usual case is
 * one process for all clients. Clients with other capabilities than the first share another one. A server with
 * `isPerClient` has one for each client or Codex thread: the first one gets the shared one for itself.
 */
export class ServerPool {
  readonly #options: ServerPoolOptions;
  readonly #extra = new Set<ExtraProcess>();
  /** Includes processes that are being stopped: they may still send messages. */
  readonly #extraByUpstream = new WeakMap<Upstream, ExtraProcess>();
  readonly #servers = new WeakMap<Upstream, GatewayServer>();
  readonly #occupants: Occupants;
  readonly #limits: PoolLimits;
  #commonKey: string | undefined;

  constructor(options: ServerPoolOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_POOL_LIMITS, ...options.limits };
    this.#occupants = new Occupants({
      threadIdleMs: this.#limits.threadIdleMs,
      isBusy: (occupant) => this.#upstreamsOf(occupant).some(({ hasCalls }) => hasCalls),
      onEnd: (occupant) => this.#endOccupant(occupant),
    });
  }

  /** Adds a new server with its shared process. */
  add(server: GatewayServer): void {
    this.#servers.set(server.upstream, server);
  }

  /**
   * Returns the process of this server that serves this client, and creates it if needed. Runs for every call.
   * `request` may name a thread of the client. Throws `BUSY` if the server has too many processes.
   */
  acquire(server: GatewayServer, client: Client, request?: ThreadSource): Upstream {
    if (server.isPerClient) return this.#acquireOwn(server, this.#occupants.of(client, request), client);
    if (client.sharesProcesses) return server.upstream;
    return client.ownProcesses?.get(server) ?? this.#assign(server, client);
  }

  /** Returns the process of this server that serves this client outside of its threads, if there is one already. */
  find(server: GatewayServer, client: Client): Upstream | undefined {
    if (server.isPerClient) return processOf(server, this.#occupants.of(client));
    return client.sharesProcesses ? server.upstream : client.ownProcesses?.get(server);
  }

  /** Returns all processes of this server that serve this client: one, unless it has threads. */
  findAll(server: GatewayServer, client: Client): readonly Upstream[] {
    const found = server.isPerClient
      ? this.#occupants.all(client).map((occupant) => processOf(server, occupant))
      : [this.find(server, client)];
    return found.filter((upstream) => upstream !== undefined);
  }

  /** Returns the clients that this process serves. */
  clientsOf(upstream: Upstream): readonly Client[] {
    const extra = this.#extraByUpstream.get(upstream);
    if (extra !== undefined) return [...extra.clients];
    const server = this.#servers.get(upstream);
    const isServed = (client: Client) =>
      server?.isPerClient === true ? server.owner?.clients.has(client) === true : client.sharesProcesses;
    return [...this.#options.clients].filter((client) =>
      client.isAttached ? client.isAttachedTo(upstream) : isServed(client),
    );
  }

  /** Returns the capabilities that this process was told. */
  capabilitiesOf(upstream: Upstream): unknown {
    const extra = this.#extraByUpstream.get(upstream);
    return extra === undefined ? this.#options.commonCapabilities() : extra.capabilities;
  }

  processesOf(server: GatewayServer): readonly Upstream[] {
    return [server.upstream, ...this.#extraOf(server).map(({ upstream }) => upstream)];
  }

  /** Records the capabilities of a client that has sent `initialize`. They decide which processes it shares. */
  initialized(client: Client): void {
    if (client.capabilityKey !== undefined) this.release(client);
    this.#commonKey ??= capabilityKey(this.#options.commonCapabilities());
    client.capabilityKey = capabilityKey(client.capabilities);
    client.sharesProcesses = client.capabilityKey === this.#commonKey;
  }

  /**
   * Gives each client its own process of this server from now on, because the server asks its client questions and does
   * not say on behalf of which call. `caller` keeps the process that has asked.
   */
  separate(upstream: Upstream, caller: Client | undefined): void {
    const server = this.#extraByUpstream.get(upstream)?.server ?? this.#servers.get(upstream);
    if (server === undefined || server.asksClients) return;
    const sharing = this.clientsOf(server.upstream).filter(({ isAttached }) => !isAttached);
    server.asksClients = true;
    if (!server.isPerClient) {
      const owner = sharing.find((client) => client === caller) ?? sharing[0];
      server.owner = owner && this.#occupants.of(owner);
      server.isPerClient = true;
      for (const extra of this.#extraOf(server)) this.#keepOne(extra, caller);
    }
    this.#options.onSeparated(server);
  }

  /** Stops what only this client used. Call it when the client has left and its calls are cancelled. */
  release(client: Client): void {
    client.ownProcesses = undefined;
    for (const extra of this.#extra) {
      if (typeof extra.key === 'string' && extra.clients.delete(client) && extra.clients.size === 0) this.#stop(extra);
    }
    this.#occupants.leave(client);
  }

  /**
   * Replaces the processes of a server whose entry has changed, except for the shared one. Without a successor, they
   * are stopped.
   */
  replace(
    old: GatewayServer,
    successor: GatewayServer | undefined,
    drain: (from: Upstream, to: Upstream | undefined) => void,
  ): void {
    if (successor?.isPerClient === true) successor.owner = old.owner;
    for (const extra of this.#extraOf(old)) {
      this.#remove(extra);
      const { key, clients, upstream } = extra;
      const [client] = clients;
      if (typeof key === 'string') for (const each of clients) each.ownProcesses?.delete(old);
      else key.processes.delete(old);
      drain(upstream, successor && client && this.#succeed(successor, client, key));
    }
  }

  #succeed(successor: GatewayServer, client: Client, key: ExtraProcess['key']): Upstream {
    if (typeof key === 'string' || !successor.isPerClient) return this.acquire(successor, client);
    return this.#acquireOwn(successor, key, client);
  }

  #acquireOwn(server: GatewayServer, occupant: Occupant, client: Client): Upstream {
    const known = processOf(server, occupant);
    // A server that is being stopped rejects the call itself.
    if (known !== undefined || server.upstream.isStopping) return known ?? server.upstream;
    if (server.owner === undefined && client.sharesProcesses) return adopt(server, occupant);
    const { upstream } = this.#open(server, { key: occupant, clients: occupant.clients }, client.capabilities);
    occupant.processes.set(server, upstream);
    return upstream;
  }

  #assign(server: GatewayServer, client: Client): Upstream {
    if (server.upstream.isStopping) return server.upstream;
    const key = client.capabilityKey ?? '';
    const known = this.#extraOf(server).find((one) => one.key === key);
    const extra = known ?? this.#open(server, { key, clients: new Set() }, client.capabilities);
    extra.clients.add(client);
    client.ownProcesses ??= new Map();
    client.ownProcesses.set(server, extra.upstream);
    return extra.upstream;
  }

  #open(server: GatewayServer, users: Pick<ExtraProcess, 'key' | 'clients'>, capabilities: unknown): ExtraProcess {
    this.#makeRoom(server);
    const upstream = this.#options.createProcess(server.entry, {
      capabilities: () => capabilities,
      history: server.upstream.history,
    });
    const extra: ExtraProcess = { server, upstream, capabilities, ...users };
    this.#extra.add(extra);
    this.#extraByUpstream.set(upstream, extra);
    this.#options.registry.addExtra(upstream);
    upstream.stayIdle();
    return extra;
  }

  /** Ends an idle thread if the server has too many processes. Throws if there is none. */
  #makeRoom(server: GatewayServer): void {
    const { maxExtraProcesses } = this.#limits;
    if (this.#extraOf(server).length < maxExtraProcesses) return;
    if (this.#occupants.endIdleThread(({ processes }) => processes.has(server))) return;
    const message = `${server.upstream.id} already has ${maxExtraProcesses + 1} processes. Disconnect a client, or try again later.`;
    throw new AppError('BUSY', message);
  }

  /** Reserves the process for one of its clients. Pending calls of the others finish there. */
  #keepOne(extra: ExtraProcess, caller: Client | undefined): void {
    const [first, ...rest] = [...extra.clients].sort((one) => (one === caller ? -1 : 0));
    for (const client of [first, ...rest]) client?.ownProcesses?.delete(extra.server);
    if (first === undefined) return;
    const occupant = this.#occupants.of(first);
    extra.key = occupant;
    extra.clients = occupant.clients;
    occupant.processes.set(extra.server, extra.upstream);
  }

  /** Stops what only this occupant used. */
  #endOccupant(occupant: Occupant): void {
    for (const extra of this.#extra) if (extra.key === occupant) this.#stop(extra);
    for (const server of this.#options.registry.servers) if (server.owner === occupant) vacate(server);
    occupant.processes.clear();
  }

  #upstreamsOf(occupant: Occupant): readonly Upstream[] {
    const owned = this.#options.registry.servers.filter(({ owner }) => owner === occupant);
    return [...occupant.processes.values(), ...owned.map(({ upstream }) => upstream)];
  }

  #stop(extra: ExtraProcess): void {
    this.#remove(extra);
    this.#options.registry.addDraining(extra.upstream, drainUpstream(extra.upstream));
  }

  #remove(extra: ExtraProcess): void {
    this.#extra.delete(extra);
    this.#options.registry.removeExtra(extra.upstream);
  }

  #extraOf(server: GatewayServer): readonly ExtraProcess[] {
    return this.#extra.size === 0 ? [] : [...this.#extra].filter((extra) => extra.server === server);
  }
}

function processOf(server: GatewayServer, occupant: Occupant): Upstream | undefined {
  return server.owner === occupant ? server.upstream : occupant.processes.get(server);
}

function adopt(server: GatewayServer, occupant: Occupant): Upstream {
  server.owner = occupant;
  if (server.wasUsed) void server.upstream.sleep();
  server.wasUsed = false;
  return server.upstream;
}

/** Takes the shared process back from the occupant that had it for itself. The next client needs a fresh one. */
function vacate(server: GatewayServer): void {
  const { upstream, catalog } = server;
  server.owner = undefined;
  server.wasUsed = isStartingOrReady(upstream.state);
  // Other clients wait for its list.
  if (!server.wasUsed || !catalog.isKnown('tools') || upstream.pendingCalls > 0) return;
  server.wasUsed = false;
  void upstream.sleep();
}
