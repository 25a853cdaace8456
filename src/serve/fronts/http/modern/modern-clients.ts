import { createHash } from 'node:crypto';
import { AppError } from '../../../../base/errors.ts';
import { EventStream } from '../event-stream.ts';
import { type FrontClient, isIdle } from '../front-state.ts';
import type { Target } from '../legacy/legacy-sessions.ts';
import type { HttpLimits } from '../limits.ts';
import { type Refusal, refuseAsBusy, refuseLargeDescription } from '../refusal.ts';
import type { Envelope } from './envelopes.ts';

/** A client without a session, recognized by its token and by what it says about itself. */
export class ModernClient implements FrontClient {
  readonly era = 'modern';
  /** Always false: a modern client is identified only after its whole request has arrived. */
  readonly isSending = false;
  readonly principal;
  readonly connection;
  readonly #limits: HttpLimits;
  openRequests = 0;
  idleHeartbeats = 0;
  closedBecause: Refusal | undefined;

  constructor({ endpoint, principal }: Target, limits: HttpLimits) {
    this.principal = principal;
    this.#limits = limits;
    this.connection = endpoint.connect({ principal, era: 'modern', saveSettings() {} }, this);
  }

  openStream(): EventStream {
    return new EventStream({ limits: this.#limits });
  }

  readonly isListening = false;

  /** A modern client gets messages only as part of its requests. */
  send(): void {}
}

/**
 * The modern clients. Requests are independent of each other, except that a call which waits for input continues with
 * the next request of the same client. A client is forgotten when it has been idle for long enough.
 */
export class ModernClients {
  readonly #limits: HttpLimits;
  readonly #clients = new Map<string, ModernClient>();

  constructor(limits: HttpLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#clients.size;
  }

  all(): Iterable<ModernClient> {
    return this.#clients.values();
  }

  /** Returns the client, or a refusal if its description is too large or all clients are busy. */
  find(target: Target, envelope: Envelope): ModernClient | Refusal {
    const { maxDescriptionBytes, maxSessions } = this.#limits;
    const description = envelope.describe(target);
    if (description.length > maxDescriptionBytes) return refuseLargeDescription(maxDescriptionBytes);
    const key = toKey(description);
    const known = this.#clients.get(key);
    if (known !== undefined) {
      known.idleHeartbeats = 0;
      return known;
    }
    if (this.#clients.size >= maxSessions && !this.#forgetOldest())
      return refuseAsBusy(503, 'Too many clients are busy. Try again in a moment.');
    const client = new ModernClient(target, this.#limits);
    this.#clients.set(key, client);
    return client;
  }

  close(client: ModernClient, refusal: Refusal): void {
    for (const [key, known] of this.#clients) if (known === client) this.#clients.delete(key);
    client.closedBecause ??= refusal;
    client.connection.close(refusal.error);
  }

  /** Called at every heartbeat. */
  expire(): void {
    for (const [key, client] of this.#clients) {
      if (client.openRequests > 0 || client.connection.isBusy) client.idleHeartbeats = 0;
      else client.idleHeartbeats++;
      if (isIdle(client, this.#limits)) this.#forget(key, client);
    }
  }

  #forgetOldest(): boolean {
    for (const [key, client] of this.#clients) {
      if (client.openRequests > 0 || client.connection.isBusy) continue;
      this.#forget(key, client);
      return true;
    }
    return false;
  }

  #forget(key: string, client: ModernClient): void {
    this.#clients.delete(key);
    client.connection.close(new AppError('CONNECTION_CLOSED', 'The client has been idle for too long.'));
  }
}

function toKey(description: string): string {
  const isShort = description.length <= MAX_KEY_CHARS;
  return isShort ? description : createHash('sha256').update(description).digest('hex');
}

const MAX_KEY_CHARS = 1024;
