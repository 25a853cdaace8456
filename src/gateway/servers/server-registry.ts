import type { Upstream } from '../../upstream/upstream.ts';
import type { Member } from './gateway-server.ts';

/** The servers behind the gateway, in the order of the config. A change of the config changes them. */
export class Roster {
  #members: readonly Member[] = [];
  readonly #leaving = new Set<Upstream>();

  get members(): readonly Member[] {
    return this.#members;
  }

  set(members: readonly Member[]): void {
    this.#members = members;
  }

  find(upstream: Upstream): Member | undefined {
    return this.#members.find((member) => member.upstream === upstream);
  }

  /** No longer used; it stays known to us until it is gone. */
  leaving(upstream: Upstream, gone: Promise<void>): void {
    this.#leaving.add(upstream);
    void gone.finally(() => this.#leaving.delete(upstream));
  }

  upstreams(): readonly Upstream[] {
    return [...this.#members.map(({ upstream }) => upstream), ...this.#leaving];
  }
}
