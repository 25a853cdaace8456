import type { Upstream } from '../../upstream/upstream.ts';
import type { PendingRequest } from './pending-request.ts';

/**
 * The requests of one client that are not answered yet. Places are used again and again, because a table by id would be
 * made anew all the time (`wire/rpc/id-map` says what that costs), and to look one up by its id is rare: only to cancel it.
 */
export class PendingRequests {
  readonly #slots: (PendingRequest | undefined)[] = [];
  readonly #free: number[] = [];
  #sequence = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(request: PendingRequest): void {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = request;
    request.slot = slot;
    request.sequence = ++this.#sequence;
    this.#size++;
  }

  /** May be called twice. */
  remove(request: PendingRequest): void {
    if (this.#slots[request.slot] !== request) return;
    this.#slots[request.slot] = undefined;
    this.#free.push(request.slot);
    this.#size--;
  }

  /** A client that uses an id twice owns the newer request; the older one is answered all the same. */
  find(idText: string): PendingRequest | undefined {
    return this.all().findLast((request) => request.idText === idText);
  }

  includesUpstream(upstream: Upstream): boolean {
    return this.#size > 0 && this.#slots.some((request) => request?.upstream === upstream);
  }

  /** In the order in which they came. */
  all(): PendingRequest[] {
    return this.#slots.filter((request) => request !== undefined).sort((a, b) => a.sequence - b.sequence);
  }
}
