import { CAPABILITIES_KEY, CLIENT_INFO_KEY } from '../../../../wire/envelope-keys.ts';
import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { Target } from '../legacy/legacy-sessions.ts';

/** The `_meta` of a request, which says who sends it. */
export class Envelope {
  readonly meta: JsonObject;
  /** The last target and its description: nearly always, one client sends an envelope. */
  #tokenId: string | undefined;
  #path: string | undefined;
  #description = '';

  constructor(meta: JsonObject) {
    this.meta = meta;
  }

  /**
   * Describes the client that sends this envelope with a token to a path. Codex names the thread of a request, and its
   * threads are separate clients.
   */
  describe({ principal: { tokenId }, path }: Target): string {
    if (tokenId !== this.#tokenId || path !== this.#path) {
      const { [CLIENT_INFO_KEY]: clientInfo, [CAPABILITIES_KEY]: capabilities, threadId } = this.meta;
      this.#description = JSON.stringify([tokenId, path, clientInfo, capabilities, threadId]);
      this.#tokenId = tokenId;
      this.#path = path;
    }
    return this.#description;
  }
}

/** Parses the envelopes of requests. Keeps recent ones by their text, because most requests of a client have the same. */
export class Envelopes {
  readonly #recent = new Map<string, Envelope>();

  /** `text` is valid JSON. */
  parse(text: string): Envelope {
    const known = this.#recent.get(text);
    if (known !== undefined) return known;
    const meta: unknown = JSON.parse(text);
    const envelope = new Envelope(isObject(meta) ? meta : {});
    if (envelope.meta['progressToken'] === undefined) this.#keep(text, envelope);
    return envelope;
  }

  /** An envelope with a progress token is not kept: the token of each request is another one. */
  #keep(text: string, envelope: Envelope): void {
    if (text.length > MAX_KEPT_CHARS) return;
    if (this.#recent.size >= MAX_KEPT) this.#recent.clear();
    this.#recent.set(text, envelope);
  }
}

const MAX_KEPT = 1000;
const MAX_KEPT_CHARS = 1024;
