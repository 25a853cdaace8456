import type { Upstream } from '../../upstream/upstream.ts';
import type { UnderWay } from './pending-request.ts';

/**
 * The requests of one client that are not answered yet. Places are used again and again, because a table by id would be
 * made anew all the time (`base/ring` says what that costs), and to look one up by its id is rare: only to cancel it.
 */
export class OpenRequests {
  readonly #places: (UnderWay | undefined)[] = [];
  readonly #free: number[] = [];
  #turn = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(request: UnderWay): void {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = request;
    request.place = place;
    request.turn = ++this.#turn;
    this.#size++;
  }

  /** May be called twice. */
  remove(request: UnderWay): void {
    if (this.#places[request.place] !== request) return;
    this.#places[request.place] = undefined;
    this.#free.push(request.place);
    this.#size--;
  }

  /** A client that uses an id twice owns the newer request; the older one is answered all the same. */
  find(idText: string): UnderWay | undefined {
    return this.all().findLast((request) => request.idText === idText);
  }

  isWith(upstream: Upstream): boolean {
    return this.#size > 0 && this.#places.some((request) => request?.upstream === upstream);
  }

  /** In the order in which they came. */
  all(): UnderWay[] {
    return this.#places.filter((request) => request !== undefined).sort((a, b) => a.turn - b.turn);
  }
}
