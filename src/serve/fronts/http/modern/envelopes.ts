import { CAPABILITIES_KEY, CLIENT_INFO_KEY } from '../../../../wire/envelope-keys.ts';
import { isObject, type JsonObject } from '../../../../wire/messages.ts';

/** Where a request is sent to, and with which token. */
interface Sender {
  readonly principal: { readonly tokenId: string };
  readonly path: string;
}

/** The `_meta` of a request, which says who sends it. */
export class Envelope {
  readonly meta: JsonObject;
  /** The last sender and its description. Nearly always, only one client sends this envelope. */
  #tokenId: string | undefined;
  #path: string | undefined;
  #description = '';

  constructor(meta: JsonObject) {
    this.meta = meta;
  }

  /** Returns a text that is equal for requests of the same client. The threads of Codex are separate clients. */
  describe({ principal: { tokenId }, path }: Sender): string {
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

/** Each keeps the text of its request, of at most 4 KiB. */
const MAX_KEPT = 1000;
const MAX_KEPT_CHARS = 1024;
