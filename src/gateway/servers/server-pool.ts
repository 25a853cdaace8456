import { drainUpstream } from '../../upstream/lifecycle/drain-upstream.ts';
import { isStartingOrReady } from '../../upstream/state.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { capabilityKey } from '../client/capability-key.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServer } from './gateway-server.ts';
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
}

/** A process of a server beside its shared one, `GatewayServer.upstream`. */
interface ExtraProcess {
  readonly server: GatewayServer;
  readonly upstream: Upstream;
  readonly capabilities: unknown;
  /** The client that has the process for itself, or the capabilities of the clients that share it. */
  key: Client | string;
  readonly clients: Set<Client>;
}

/**
 * The processes of all servers, by server and by what its clients must have in common to share one. The usual case is
 * one process for all clients. Clients with other capabilities than the first share another one. A server with
 * `isPerClient` has one for each client: the first client gets the shared one for itself.
 */
export class ServerPool {
  readonly #options: ServerPoolOptions;
  readonly #extra = new Set<ExtraProcess>();
  /** Includes processes that are being stopped: they may still send messages. */
  readonly #extraByUpstream = new WeakMap<Upstream, ExtraProcess>();
  readonly #servers = new WeakMap<Upstream, GatewayServer>();
  #commonKey: string | undefined;

  constructor(options: ServerPoolOptions) {
    this.#options = options;
  }

  /** Adds a new server with its shared process. */
  add(server: GatewayServer): void {
    this.#servers.set(server.upstream, server);
  }

  /** Returns the process of this server that serves this client, creates it at the first need. Runs for every call. */
  acquire(server: GatewayServer, client: Client): Upstream {
    const isShared = server.isPerClient ? server.owner === client : client.sharesProcesses;
    return isShared ? server.upstream : (client.ownProcesses?.get(server) ?? this.#assign(server, client));
  }

  /** Returns the process of this server that serves this client, if there is one already. */
  find(server: GatewayServer, client: Client): Upstream | undefined {
    const isShared = server.isPerClient ? server.owner === client : client.sharesProcesses;
    return isShared ? server.upstream : client.ownProcesses?.get(server);
  }

  /** Returns the clients that this process serves. */
  clientsOf(upstream: Upstream): readonly Client[] {
    const extra = this.#extraByUpstream.get(upstream);
    if (extra !== undefined) return [...extra.clients];
    const server = this.#servers.get(upstream);
    const isServed = (client: Client) =>
      server?.isPerClient === true ? server.owner === client : client.sharesProcesses;
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
      server.owner = sharing.find((client) => client === caller) ?? sharing[0];
      server.isPerClient = true;
      for (const extra of this.#extraOf(server)) keepOne(extra, caller);
    }
    this.#options.onSeparated(server);
  }

  /** Stops what only this client used. Call it when the client has left and its calls are cancelled. */
  release(client: Client): void {
    client.ownProcesses = undefined;
    for (const extra of this.#extra) {
      if (extra.clients.delete(client) && extra.clients.size === 0) this.#stop(extra);
    }
    for (const server of this.#options.registry.servers) if (server.owner === client) vacate(server);
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
      for (const client of extra.clients) client.ownProcesses?.delete(old);
      const [client] = extra.clients;
      drain(extra.upstream, successor && client && this.acquire(successor, client));
    }
  }

  #assign(server: GatewayServer, client: Client): Upstream {
    // A server that is being stopped rejects the call itself.
    if (server.upstream.isStopping) return server.upstream;
    if (server.isPerClient && server.owner === undefined && client.sharesProcesses) return adopt(server, client);
    const key = server.isPerClient ? client : (client.capabilityKey ?? '');
    const extra = this.#extraOf(server).find((one) => one.key === key) ?? this.#open(server, key, client.capabilities);
    extra.clients.add(client);
    client.ownProcesses ??= new Map();
    client.ownProcesses.set(server, extra.upstream);
    return extra.upstream;
  }

  #open(server: GatewayServer, key: Client | string, capabilities: unknown): ExtraProcess {
    const upstream = this.#options.createProcess(server.entry, {
      capabilities: () => capabilities,
      history: server.upstream.history,
    });
    const extra: ExtraProcess = { server, upstream, capabilities, key, clients: new Set() };
    this.#extra.add(extra);
    this.#extraByUpstream.set(upstream, extra);
    this.#options.registry.addExtra(upstream);
    upstream.stayIdle();
    return extra;
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

/** Leaves the process to one of its clients. Pending calls of the others end there. */
function keepOne(extra: ExtraProcess, caller: Client | undefined): void {
  const [first, ...rest] = [...extra.clients].sort((one) => (one === caller ? -1 : 0));
  if (first !== undefined) extra.key = first;
  for (const client of rest) {
    extra.clients.delete(client);
    client.ownProcesses?.delete(extra.server);
  }
}

function adopt(server: GatewayServer, client: Client): Upstream {
  server.owner = client;
  if (server.wasUsed) void server.upstream.sleep();
  server.wasUsed = false;
  return server.upstream;
}

/** Takes the shared process back from the client that had it for itself. The next client needs a fresh one. */
function vacate(server: GatewayServer): void {
  const { upstream, catalog } = server;
  server.owner = undefined;
  server.wasUsed = isStartingOrReady(upstream.state);
  // Other clients wait for its list.
  if (!server.wasUsed || !catalog.isKnown('tools') || upstream.pendingCalls > 0) return;
  server.wasUsed = false;
  void upstream.sleep();
}
