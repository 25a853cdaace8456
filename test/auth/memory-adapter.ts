/**
 * In-memory storage of one authorization server. Nothing is shared, and all records of one kind can be deleted at once.
 * A used refresh token counts as unused for `reuseSeconds`.
 */
export function createMemoryAdapter({ reuseSeconds = 0 }: { readonly reuseSeconds?: number } = {}): {
  readonly Adapter: new (kind: string) => Adapter;
  forget(kind: string): void;
} {
  const kinds = new Map<string, Map<string, Payload>>();

  class MemoryAdapter implements Adapter {
    readonly #things: Map<string, Payload>;
    readonly #reuseSeconds: number;

    constructor(kind: string) {
      this.#reuseSeconds = kind === 'RefreshToken' ? reuseSeconds : 0;
      this.#things = kinds.get(kind) ?? new Map();
      kinds.set(kind, this.#things);
    }

    async upsert(id: string, payload: Payload): Promise<void> {
      this.#things.set(id, payload);
    }

    async find(id: string): Promise<Payload | undefined> {
      const payload = this.#things.get(id);
      const usedAt = Number(payload?.['consumed'] ?? Number.NaN);
      const isTakenAgain = Date.now() / 1000 - usedAt < this.#reuseSeconds;
      return isTakenAgain ? { ...payload, consumed: undefined } : payload;
    }

    findByUid(uid: string): Promise<Payload | undefined> {
      return this.#findBy('uid', uid);
    }

    findByUserCode(userCode: string): Promise<Payload | undefined> {
      return this.#findBy('userCode', userCode);
    }

    async consume(id: string): Promise<void> {
      const payload = this.#things.get(id);
      if (payload !== undefined) payload['consumed'] = Math.floor(Date.now() / 1000);
    }

    async destroy(id: string): Promise<void> {
      this.#things.delete(id);
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      for (const [id, payload] of this.#things) if (payload['grantId'] === grantId) this.#things.delete(id);
    }

    async #findBy(member: string, value: string): Promise<Payload | undefined> {
      return [...this.#things.values()].find((payload) => payload[member] === value);
    }
  }

  return { Adapter: MemoryAdapter, forget: (kind) => kinds.get(kind)?.clear() };
}

type Payload = Record<string, unknown>;

interface Adapter {
  upsert(id: string, payload: Payload): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<Payload | undefined>;
  findByUserCode(userCode: string): Promise<Payload | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}
