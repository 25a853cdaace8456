import type { Upstream } from '../../upstream/upstream.ts';
import type { GatewayServer } from './gateway-server.ts';

/** The servers behind the gateway, in the order of the config. A change of the config changes them. */
export class ServerRegistry {
  #members: readonly GatewayServer[] = [];
  readonly #leaving = new Set<Upstream>();

  get members(): readonly GatewayServer[] {
    return this.#members;
  }

  set(servers: readonly GatewayServer[]): void {
    this.#members = servers;
  }

  find(upstream: Upstream): GatewayServer | undefined {
    return this.#members.find((server) => server.upstream === upstream);
  }

  /** No longer used; it stays known to us until it is gone. */
  leaving(upstream: Upstream, stopped: Promise<void>): void {
    this.#leaving.add(upstream);
    void stopped.finally(() => this.#leaving.delete(upstream));
  }

  upstreams(): readonly Upstream[] {
    return [...this.#members.map(({ upstream }) => upstream), ...this.#leaving];
  }
}
