import type { Upstream } from '../../upstream/upstream.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { UnansweredRequest } from './unanswered-request.ts';

/**
 * The unanswered requests of one client. Slots are reused, because a map by id would be rebuilt all the time
 * (`wire/rpc/id-map` explains the cost). Lookup by id is rare: only a cancellation needs it.
 */
export class UnansweredRequests {
  readonly #slots: (UnansweredRequest | undefined)[] = [];
  readonly #free: number[] = [];
  #sequence = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(request: UnansweredRequest): void {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = request;
    request.slot = slot;
    request.sequence = ++this.#sequence;
    this.#size++;
  }

  /** May be called twice. */
  remove(request: UnansweredRequest): void {
    if (!this.has(request)) return;
    this.#slots[request.slot] = undefined;
    this.#free.push(request.slot);
    this.#size--;
  }

  /** Returns the newest request with this id. If a client reuses an id, the older request still gets its response. */
  find(idText: string): UnansweredRequest | undefined {
    return this.all().findLast((request) => request.idText === idText);
  }

  has(request: UnansweredRequest): boolean {
    return this.#slots[request.slot] === request;
  }

  /** Returns the requests of one exchange: several if it carried a batch. */
  of(exchange: Exchange): UnansweredRequest[] {
    return this.all().filter((request) => request.exchange === exchange);
  }

  /** Returns the request that this upstream handles, or undefined if it handles none or several. */
  onlyTo(upstream: Upstream): UnansweredRequest | undefined {
    let only: UnansweredRequest | undefined;
    for (const request of this.#slots) {
      if (request?.upstream !== upstream) continue;
      if (only !== undefined) return undefined;
      only = request;
    }
    return only;
  }

  /** Returns all of them in order of arrival. */
  all(): UnansweredRequest[] {
    return this.#slots.filter((request) => request !== undefined).sort((a, b) => a.sequence - b.sequence);
  }
}
