import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { OutgoingMessage } from '../../../../wire/json/splice.ts';
import type { HttpConnection, HttpEndpoint, RestoredSession, SessionSettings } from '../endpoint.ts';
import { EventStream, parseEventId } from '../event-stream.ts';
import type { FrontClient } from '../front-state.ts';
import type { HttpLimits } from '../limits.ts';
import { lostResponse, toKeyPart } from '../lost-request.ts';
import type { Principal } from '../principal.ts';
import type { Refusal } from '../refusal.ts';

export interface LegacySessionOptions {
  readonly endpoint: HttpEndpoint;
  readonly path: string;
  readonly principal: Principal;
  readonly limits: HttpLimits;
  readonly restored?: RestoredSession | undefined;
  readonly onSettings: (session: LegacySession, settings: SessionSettings) => void;
}

/** A session of the legacy era, from `initialize` to DELETE or expiry. */
export class LegacySession implements FrontClient {
  readonly era = 'legacy';
  readonly principal: Principal;
  readonly path: string;
  readonly connection: HttpConnection;
  readonly #limits: HttpLimits;
  /** Distinguishes the event ids of this process from those of an earlier one. */
  readonly #prefix = randomBytes(4).toString('hex');
  readonly #serverStream: EventStream;
  /** The streams of requests that a client may resume, oldest first. */
  readonly #requestStreams = new Map<string, EventStream>();
  #streamCount = 0;
  /** Undefined until the response to `initialize`. */
  id: string | undefined;
  protocolVersion = '';
  openRequests = 0;
  idleHeartbeats = 0;
  /** The requests whose body has not arrived completely. */
  readonly incoming = new Set<IncomingMessage>();
  closedBecause: Refusal | undefined;

  constructor({ endpoint, path, principal, limits, restored, onSettings }: LegacySessionOptions) {
    this.principal = principal;
    this.path = path;
    this.#limits = limits;
    this.protocolVersion = String(restored?.initializeParams['protocolVersion'] ?? '');
    this.#serverStream = this.#createStream(`${this.#prefix}s`);
    const saveSettings = (settings: SessionSettings) => onSettings(this, settings);
    this.connection = endpoint.connect({ principal, era: 'legacy', restored, saveSettings }, this);
  }

  /** Whether a connection of the client is open. */
  get isConnected(): boolean {
    if (this.openRequests > 0 || this.isSending || this.#serverStream.isAttached) return true;
    for (const stream of this.#requestStreams.values()) if (stream.isAttached) return true;
    return false;
  }

  get isSending(): boolean {
    for (const request of this.incoming) {
      if (!request.destroyed) return true;
      this.incoming.delete(request);
    }
    return false;
  }

  get isListening(): boolean {
    return this.#serverStream.isAttached;
  }

  /** Sends a message that belongs to no request, on the stream that the client opened with GET. */
  send(message: OutgoingMessage): void {
    this.#serverStream.send(message);
  }

  openStream(idText: string | undefined): EventStream {
    const key = `${this.#prefix}r${++this.#streamCount}${toKeyPart(idText)}`;
    const stream = this.#createStream(key);
    this.#requestStreams.set(key, stream);
    this.#forgetEndedStreams();
    return stream;
  }

  /** Returns the stream to write to a GET request: the one that it resumes, otherwise the stream of the server. */
  findStream(lastEventId: string | undefined): { readonly stream: EventStream; readonly resumeAfter?: number } {
    const resumed = lastEventId === undefined ? undefined : parseEventId(lastEventId);
    if (resumed === undefined) return { stream: this.#serverStream };
    const isServerStream = resumed.key === `${this.#prefix}s`;
    const stream = isServerStream ? this.#serverStream : this.#requestStreams.get(resumed.key);
    if (stream !== undefined) return { stream, resumeAfter: resumed.sequence };
    const response = lostResponse(resumed.key);
    if (response === undefined) return { stream: this.#serverStream };
    const lost = this.#createStream(resumed.key);
    lost.end(response);
    return { stream: lost };
  }

  endStreams(): void {
    this.#serverStream.end();
    for (const stream of this.#requestStreams.values()) stream.end();
  }

  #createStream(key: string): EventStream {
    const canPrime = () => this.protocolVersion >= FIRST_WITH_PRIMING;
    return new EventStream({ limits: this.#limits, key, canPrime });
  }

  #forgetEndedStreams(): void {
    let excess = this.#requestStreams.size - MAX_ENDED_STREAMS;
    for (const [key, stream] of this.#requestStreams) {
      if (excess <= 0) return;
      if (!stream.isEnded) continue;
      this.#requestStreams.delete(key);
      excess--;
    }
  }
}

/** How many streams of finished requests a client can resume, because it may not have received their end. */
const MAX_ENDED_STREAMS = 4;

/** The first version whose clients accept an event without data. */
const FIRST_WITH_PRIMING = '2025-11-25';
