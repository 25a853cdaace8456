import type { Upstream } from '../../upstream/upstream.ts';
import type { PendingRequest } from './pending-request.ts';

/**
 * The requests of one client that are not answered yet. Places are used again and again, because a table by id would be
 * made anew all the time (`wire/rpc/id-map` says what that costs), and to look one up by its id is rare: only to cancel it.
 */
export class PendingRequests {
  readonly #places: (PendingRequest | undefined)[] = [];
  readonly #free: number[] = [];
  #turn = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(request: PendingRequest): void {
    const slot = this.#free.pop() ?? this.#places.length;
    this.#places[slot] = request;
    request.place = slot;
    request.turn = ++this.#turn;
    this.#size++;
  }

  /** May be called twice. */
  remove(request: PendingRequest): void {
    if (this.#places[request.place] !== request) return;
    this.#places[request.place] = undefined;
    this.#free.push(request.place);
    this.#size--;
  }

  /** A client that uses an id twice owns the newer request; the older one is answered all the same. */
  find(idText: string): PendingRequest | undefined {
    return this.all().findLast((request) => request.idText === idText);
  }

  isWith(upstream: Upstream): boolean {
    return this.#size > 0 && this.#places.some((request) => request?.upstream === upstream);
  }

  /** In the order in which they came. */
  all(): PendingRequest[] {
    return this.#places.filter((request) => request !== undefined).sort((a, b) => a.turn - b.turn);
  }
}
