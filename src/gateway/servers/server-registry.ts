import type { ConfigProblem, LoadedConfig } from '../../config/server-entry.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { GatewayServer } from './gateway-server.ts';

/** The config of the gateway and its servers, in config order. Applying a config replaces both. */
export class ServerRegistry {
  #config: LoadedConfig;
  /** Why the config files can no longer be loaded. Undefined after they were loaded again. */
  reloadProblem: ConfigProblem | undefined;
  #servers: readonly GatewayServer[] = [];
  /** The upstreams that are no longer used, each with a promise that resolves when it has stopped. */
  readonly #draining = new Map<Upstream, Promise<void>>();
  /** The processes beside those of `servers`. */
  readonly #extra = new Set<Upstream>();
  #isPaused = false;

  constructor(config: LoadedConfig) {
    this.#config = config;
  }

  /** The current config, with the problem of a failed reload. */
  get config(): LoadedConfig {
    const problem = this.reloadProblem;
    return problem === undefined ? this.#config : { ...this.#config, problems: [...this.#config.problems, problem] };
  }

  setConfig(config: LoadedConfig): void {
    this.#config = config;
    this.reloadProblem = undefined;
  }

  get servers(): readonly GatewayServer[] {
    return this.#servers;
  }

  setServers(servers: readonly GatewayServer[]): void {
    this.#servers = servers;
    if (this.#isPaused) this.pause();
  }

  /** Pauses reading from all upstreams, and from those that are added before `resume`. */
  pause(): void {
    this.#isPaused = true;
    for (const upstream of this.upstreams()) upstream.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const upstream of this.upstreams()) upstream.resume();
  }

  find(upstream: Upstream): GatewayServer | undefined {
    return this.#servers.find((server) => server.upstream === upstream);
  }

  /** Adds a process of a server beside its shared one. */
  addExtra(upstream: Upstream): void {
    this.#extra.add(upstream);
    if (this.#isPaused) upstream.pause();
  }

  removeExtra(upstream: Upstream): void {
    this.#extra.delete(upstream);
  }

  /** Keeps track of an upstream that is no longer used until it has stopped. */
  addDraining(upstream: Upstream, stopped: Promise<void>): void {
    this.#draining.set(upstream, stopped);
    void stopped.finally(() => this.#draining.delete(upstream));
  }

  /** Returns whether an upstream that is no longer used still has pending calls. */
  isDraining(upstream: Upstream): boolean {
    return this.#draining.has(upstream) && upstream.pendingCalls > 0;
  }

  /** Resolves when all instances of a server that are no longer used have stopped. Undefined if there are none. */
  whenDrained(serverId: string): Promise<void> | undefined {
    const instances = [...this.#draining].filter(([{ id }]) => id === serverId);
    return instances.length === 0 ? undefined : Promise.all(instances.map(([, stopped]) => stopped)).then(() => {});
  }

  upstreams(): readonly Upstream[] {
    return [...this.#servers.map(({ upstream }) => upstream), ...this.#extra, ...this.#draining.keys()];
  }
}
