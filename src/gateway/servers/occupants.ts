import { createDeadlines } from '../../base/deadlines.ts';
import { sha256 } from '../../base/digest.ts';
import { isCodex } from '../../schema/profiles/codex-client.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { isObject } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServer } from './gateway-server.ts';

/** The only user of a process: a client, or one of its Codex threads. */
export interface Occupant {
  /** Several if one thread uses several connections. */
  readonly clients: Set<Client>;
  /** Its processes, except shared processes that it has for itself. Set by the pool. */
  readonly processes: Map<GatewayServer, Upstream>;
}

/** The part of a request that names its thread. */
export interface ThreadSource {
  /** Parses the `_meta` of the request. */
  parseMeta?(): unknown;
}

export interface OccupantsOptions {
  /** Whether the occupant has pending calls, so that it must not be forgotten. */
  readonly isBusy: (occupant: Occupant) => boolean;
  /** Called when the last client has left, or the thread was idle for too long. Stops the processes. */
  readonly onEnd: (occupant: Occupant) => void;
  /** How long a thread keeps its processes without a call. Does not apply to the first thread of a connection. */
  readonly threadIdleMs: number;
}

/**
 * The occupants of per-client processes. A client is one occupant, together with the first Codex thread that it names:
 * Codex opens a connection for each thread. Each further thread of a connection is an occupant of its own. The key of a
 * thread includes the owner of its client, so that nobody reaches the processes of others by sending their thread ids.
 */
export class Occupants {
  readonly #options: OccupantsOptions;
  readonly #main = new Map<Client, Occupant>();
  readonly #threads = new Map<string, Occupant>();
  /** The keys of occupants that are threads. */
  readonly #keys = new Map<Occupant, string>();
  /** The further threads, least recently used first. */
  readonly #idle;

  constructor(options: OccupantsOptions) {
    this.#options = options;
    this.#idle = createDeadlines<Occupant>((occupant) => this.#expire(occupant));
  }

  /** Returns the occupant that sends this request. */
  of(client: Client, request?: ThreadSource): Occupant {
    const key = threadKey(client, request);
    const main = this.#main.get(client);
    if (key === undefined) return main ?? this.#setMain(client, create());
    const known = this.#threads.get(key);
    if (known === main && main !== undefined) return main;
    if (main === undefined || !this.#keys.has(main)) return this.#setMain(client, this.#joined(main, known), key);
    const thread = known ?? create();
    thread.clients.add(client);
    this.#name(thread, key);
    this.#idle.set(thread, this.#options.threadIdleMs);
    return thread;
  }

  /** Returns all occupants of a client. */
  all(client: Client): readonly Occupant[] {
    const main = this.#main.get(client);
    const threads = [...this.#threads.values()].filter((thread) => thread !== main && thread.clients.has(client));
    return main === undefined ? threads : [main, ...threads];
  }

  /** Removes a client from its occupants, and ends those that have no other client. */
  leave(client: Client): void {
    const occupants = this.all(client);
    this.#main.delete(client);
    for (const occupant of occupants) {
      occupant.clients.delete(client);
      if (occupant.clients.size === 0) this.#end(occupant);
    }
  }

  /** Ends the thread that has been idle for longest, of those that match. Returns false if there is none. */
  endIdleThread(matches: (occupant: Occupant) => boolean): boolean {
    for (const thread of this.#threads.values()) {
      if (this.#isMain(thread) || this.#options.isBusy(thread) || !matches(thread)) continue;
      this.#end(thread);
      return true;
    }
    return false;
  }

  /** A client that names its first thread keeps its processes, unless another connection of the thread has some. */
  #joined(main: Occupant | undefined, known: Occupant | undefined): Occupant {
    if (known === undefined || main === undefined) return known ?? main ?? create();
    this.#end(main);
    return known;
  }

  #setMain(client: Client, occupant: Occupant, key?: string): Occupant {
    occupant.clients.add(client);
    this.#main.set(client, occupant);
    if (key !== undefined) this.#name(occupant, key);
    return occupant;
  }

  /** The thread becomes the most recently used one. */
  #name(occupant: Occupant, key: string): void {
    this.#threads.delete(key);
    this.#threads.set(key, occupant);
    this.#keys.set(occupant, key);
  }

  #isMain(occupant: Occupant): boolean {
    return [...occupant.clients].some((client) => this.#main.get(client) === occupant);
  }

  #expire(thread: Occupant): void {
    if (!this.#keys.has(thread)) return;
    if (this.#isMain(thread) || this.#options.isBusy(thread)) this.#idle.set(thread, this.#options.threadIdleMs);
    else this.#end(thread);
  }

  #end(occupant: Occupant): void {
    const key = this.#keys.get(occupant);
    if (key !== undefined) this.#threads.delete(key);
    this.#keys.delete(occupant);
    this.#idle.clear(occupant);
    occupant.clients.clear();
    this.#options.onEnd(occupant);
  }
}

function create(): Occupant {
  return { clients: new Set(), processes: new Map() };
}

/** Identifies a thread. Undefined for a request that names none, and for clients other than Codex. */
function threadKey(client: Client, request: ThreadSource | undefined): string | undefined {
  if (!isCodex(client.info)) return undefined;
  const meta = request?.parseMeta?.();
  const threadId = isObject(meta) ? meta['threadId'] : undefined;
  if (typeof threadId !== 'string' || threadId === '') return undefined;
  // Clients with other capabilities cannot share a process, not even for one thread.
  return sha256(JSON.stringify([client.owner, client.capabilityKey, threadId]));
}
