import type { ServerResponse } from 'node:http';
import type { OutgoingMessage } from '../../../wire/json/splice.ts';
import type { HttpLimits } from './limits.ts';
import { ReplayBuffer } from './replay-buffer.ts';

export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  // Reverse proxies must pass on each event at once.
  'X-Accel-Buffering': 'no',
} as const;

/** A connection that an event stream is written to. */
interface Attachment {
  readonly response: ServerResponse;
  /** What was queued at the last heartbeat, and since when the client has read nothing of it. */
  unreadBytes: number;
  stalledMs: number;
}

export interface EventStreamOptions {
  readonly limits: HttpLimits;
  /** Names the stream in event ids, with which a client resumes it. Undefined for a stream that cannot be resumed. */
  readonly key?: string | undefined;
  /** Returns whether the client understands an event without data. Default: it does not. */
  readonly canPrime?: () => boolean;
}

/**
 * A stream of messages to one client as server-sent events. A stream with a key outlives its connections: messages are
 * stored while there is none, and a new connection continues where the last one ended. With several connections, each
 * message goes only to the newest one, as MCP requires.
 */
export class EventStream {
  readonly #limits: HttpLimits;
  readonly #key: string | undefined;
  readonly #canPrime: () => boolean;
  readonly #attachments: Attachment[] = [];
  #replay: ReplayBuffer | undefined;
  #lastSequence = 0;
  /** The position of the last message that was written to a connection. */
  #writtenSequence = 0;
  #isEnded = false;

  constructor({ limits, key, canPrime = () => false }: EventStreamOptions) {
    this.#limits = limits;
    this.#key = key;
    this.#canPrime = canPrime;
  }

  get isAttached(): boolean {
    return this.#attachments.length > 0;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Writes the stream to this response, whose headers are already written: first the messages after `resumeAfter`, by
   * default those that no connection got.
   */
  attach(response: ServerResponse, resumeAfter = this.#writtenSequence) {
    this.#attachments.push({ response, unreadBytes: 0, stalledMs: 0 });
    for (const { sequence, message } of this.#replay?.after(resumeAfter) ?? [])
      this.#write(response, sequence, message);
    if (this.#isEnded) return this.#detachAll();
    if (this.#attachments.length > MAX_ATTACHMENTS) this.#attachments.shift()?.response.end();
  }

  /** Sends the first bytes. If possible, they tell the client where to resume even before the first message. */
  prime(response: ServerResponse): void {
    const canResume = this.#key !== undefined && this.#canPrime();
    response.write(canResume ? `id: ${this.#key}-${this.#lastSequence}\ndata:\n\n` : COMMENT);
  }

  detach(response: ServerResponse): void {
    const at = this.#attachments.findIndex((attachment) => attachment.response === response);
    if (at !== -1) this.#attachments.splice(at, 1);
  }

  send(message: OutgoingMessage): void {
    if (this.#isEnded) return;
    const sequence = ++this.#lastSequence;
    if (this.#key !== undefined) {
      this.#replay ??= new ReplayBuffer(this.#limits);
      this.#replay.add(sequence, message);
    }
    const newest = this.#attachments.at(-1);
    if (newest === undefined) return;
    this.#write(newest.response, sequence, message);
    if (newest.response.writableLength > this.#limits.maxUnreadBytes) newest.response.destroy();
  }

  /** Ends the stream, after a last message if there is one. */
  end(message?: OutgoingMessage): void {
    if (message !== undefined) this.send(message);
    this.#isEnded = true;
    this.#detachAll();
  }

  /** Shows intermediaries and the client that the stream is alive, and closes connections that the client does not read. */
  heartbeat(): void {
    for (const attachment of [...this.#attachments]) {
      const { response } = attachment;
      const unreadBytes = response.writableLength;
      const isStalled = unreadBytes > 0 && unreadBytes >= attachment.unreadBytes;
      attachment.stalledMs = isStalled ? attachment.stalledMs + this.#limits.heartbeatMs : 0;
      attachment.unreadBytes = unreadBytes;
      if (attachment.stalledMs >= this.#limits.stallTimeoutMs) response.destroy();
      else if (!isStalled) response.write(COMMENT);
    }
  }

  #write(response: ServerResponse, sequence: number, message: OutgoingMessage): void {
    this.#writtenSequence = Math.max(this.#writtenSequence, sequence);
    const id = this.#key === undefined ? '' : `id: ${this.#key}-${sequence}\n`;
    const head = `event: message\n${id}data: `;
    if (typeof message === 'string') return void response.write(`${head}${message}\n\n`);
    response.cork();
    response.write(head);
    for (const piece of message.pieces) response.write(piece);
    response.write('\n\n');
    response.uncork();
  }

  #detachAll(): void {
    for (const { response } of this.#attachments.splice(0)) response.end();
  }
}

const COMMENT = ':\n\n';

/** More connections to one stream come from a client that loses them. The oldest one ends. */
const MAX_ATTACHMENTS = 4;

/** Reads an event id. The part before the last dash names the stream. */
export function parseEventId(eventId: string): { readonly key: string; readonly sequence: number } | undefined {
  const [, key, sequence] = /^([\w.-]{1,256})-(\d{1,15})$/.exec(eventId) ?? [];
  return key === undefined ? undefined : { key, sequence: Number(sequence) };
}
