import type { Upstream } from '../../upstream/upstream.ts';
import type { GatewayServer } from './gateway-server.ts';

/** The servers behind the gateway, in config order. Applying a config replaces them. */
export class ServerRegistry {
  #servers: readonly GatewayServer[] = [];
  readonly #retiring = new Set<Upstream>();

  get servers(): readonly GatewayServer[] {
    return this.#servers;
  }

  set(servers: readonly GatewayServer[]): void {
    this.#servers = servers;
  }

  find(upstream: Upstream): GatewayServer | undefined {
    return this.#servers.find((server) => server.upstream === upstream);
  }

  /** Keeps track of an upstream that is no longer used until it has stopped. */
  addRetiring(upstream: Upstream, stopped: Promise<void>): void {
    this.#retiring.add(upstream);
    void stopped.finally(() => this.#retiring.delete(upstream));
  }

  upstreams(): readonly Upstream[] {
    return [...this.#servers.map(({ upstream }) => upstream), ...this.#retiring];
  }
}
