import { SlotSet } from '../../base/slot-set.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { UnansweredRequest } from './unanswered-request.ts';

/**
 * The unanswered requests of one client. They have no index by id, because only cancellations need one, and these are
 * rare.
 */
export class UnansweredRequests {
  readonly #requests = new SlotSet<UnansweredRequest>();
  #sequence = 0;

  get size(): number {
    return this.#requests.size;
  }

  add(request: UnansweredRequest): void {
    this.#requests.add(request);
    request.sequence = ++this.#sequence;
  }

  /** May be called twice. */
  remove(request: UnansweredRequest): void {
    this.#requests.delete(request);
  }

  /** Returns the newest request with this id. If a client reuses an id, the older request still gets its response. */
  find(idText: string): UnansweredRequest | undefined {
    return this.all().findLast((request) => request.idText === idText);
  }

  has(request: UnansweredRequest): boolean {
    return this.#requests.has(request);
  }

  /** Returns the requests of one exchange: several if it carried a batch. */
  of(exchange: Exchange): UnansweredRequest[] {
    return this.all().filter((request) => request.exchange === exchange);
  }

  /** Returns the request that this upstream handles, or undefined if it handles none or several. */
  onlyTo(upstream: Upstream): UnansweredRequest | undefined {
    let only: UnansweredRequest | undefined;
    for (const request of this.#requests) {
      if (request.upstream !== upstream) continue;
      if (only !== undefined) return undefined;
      only = request;
    }
    return only;
  }

  /** Returns all of them in order of arrival. */
  all(): UnansweredRequest[] {
    return [...this.#requests].sort((a, b) => a.sequence - b.sequence);
  }
}
