import { type OutgoingMessage, outgoingLength } from '../../../wire/json/splice.ts';

/** A message of an event stream with its position in the stream. */
export interface StoredEvent {
  readonly sequence: number;
  readonly message: OutgoingMessage;
}

export interface ReplayLimits {
  readonly maxReplayEvents: number;
  readonly maxReplayBytes: number;
}

/** The latest messages of one event stream, for a client that reconnects. Drops the oldest above its limits. */
export class ReplayBuffer {
  readonly #limits: ReplayLimits;
  #events: (StoredEvent & { readonly bytes: number })[] = [];
  #bytes = 0;

  constructor(limits: ReplayLimits) {
    this.#limits = limits;
  }

  add(sequence: number, message: OutgoingMessage): void {
    const bytes = outgoingLength(message);
    this.#events.push({ sequence, message, bytes });
    this.#bytes += bytes;
    const { maxReplayEvents, maxReplayBytes } = this.#limits;
    while (this.#events.length > maxReplayEvents || this.#bytes > maxReplayBytes) {
      const dropped = this.#events.shift();
      if (dropped === undefined) return;
      this.#bytes -= dropped.bytes;
    }
  }

  /** Returns the stored messages after this position. */
  after(sequence: number): readonly StoredEvent[] {
    return this.#events.filter((event) => event.sequence > sequence);
  }

  get bytes(): number {
    return this.#bytes;
  }
}
