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
    if (this.#slots[request.slot] !== request) return;
    this.#slots[request.slot] = undefined;
    this.#free.push(request.slot);
    this.#size--;
  }

  /** Returns the newest request with this id. If a client reuses an id, the older request still gets its response. */
  find(idText: string): UnansweredRequest | undefined {
    return this.all().findLast((request) => request.idText === idText);
  }

  /** Returns all of them in order of arrival. */
  all(): UnansweredRequest[] {
    return this.#slots.filter((request) => request !== undefined).sort((a, b) => a.sequence - b.sequence);
  }
}
