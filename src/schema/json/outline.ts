import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  equalsIgnoringCase,
  equalsString,
  isSeparator,
  LETTER_F,
  LETTER_T,
  literalEnd,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  stringEnd,
} from '../../wire/json/json-bytes.ts';
import { skipSpace } from '../../wire/json/scan.ts';

/**
 * The positions of all values inside one JSON value: a flat list of numbers, parents before their children, so that one
 * pass over the bytes answers every later query. A node is an index into that list; the value itself is node 0. One
 * outline reads the elements of a list in turn, each replacing the previous one. It assumes valid syntax: correct for
 * text that `JSON.parse` accepts; for any other text, it only terminates.
 */
export class Outline {
  readonly bytes: Buffer;
  /** The limit that the value exceeds, if any; then the outline covers only its beginning. */
  limitExceeded: string | undefined;
  #nodes = new Int32Array(256 * FIELDS);
  #size = 0;
  readonly #open = new Int32Array(MAX_DEPTH);

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Reads the value at `from` and returns its end: `from` itself if there is no value. */
  read(from: number): number {
    const { bytes } = this;
    this.limitExceeded = undefined;
    this.#size = 0;
    let depth = 0;
    let branches = 0;
    let keyStart = NO_KEY;
    let keyEnd = NO_KEY;
    let at = from;
    do {
      const byte = bytes[at];
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (depth === MAX_DEPTH) this.#stopIndexing(`is nested more than ${MAX_DEPTH} levels deep`, depth);
        if (++branches > MAX_BRANCHES)
          this.#stopIndexing(`has more than ${MAX_BRANCHES} objects and lists in it`, depth);
        if (this.limitExceeded === undefined) this.#open[depth] = this.#add(keyStart, keyEnd, at);
        keyStart = NO_KEY;
        depth++;
        at++;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) return at;
        depth--;
        at++;
        if (this.limitExceeded === undefined) this.#close(depth, at);
      } else if (isSeparator(byte)) {
        if (depth === 0) return at;
        at++;
      } else {
        const end = byte === QUOTE ? stringEnd(bytes, at) : literalEnd(bytes, at);
        const colon = byte === QUOTE ? skipSpace(bytes, end) : end;
        if (depth > 0 && bytes[colon] === COLON) {
          keyStart = at;
          keyEnd = end;
          at = colon + 1;
          continue;
        }
        if (this.limitExceeded === undefined) this.#finish(this.#add(keyStart, keyEnd, at), end);
        keyStart = NO_KEY;
        at = end;
      }
      if (at - from > MAX_BYTES) this.#stopIndexing(`is larger than ${MAX_BYTES / 1024 / 1024} MiB`, depth);
    } while (depth > 0 && at < bytes.length);
    if (depth > 0) this.#stopIndexing('is truncated', depth);
    return at;
  }

  start(node: number): number {
    return this.#nodes[node + START] ?? 0;
  }

  end(node: number): number {
    return this.#nodes[node + END] ?? 0;
  }

  /** Returns the start of the member or element: that of its key, if it has one. */
  entryStart(node: number): number {
    const keyStart = this.#nodes[node + KEY_START] ?? NO_KEY;
    return keyStart === NO_KEY ? this.start(node) : keyStart;
  }

  key(node: number): string {
    const start = this.#nodes[node + KEY_START] ?? NO_KEY;
    if (start === NO_KEY) return '';
    const raw = this.bytes.toString('utf8', start, this.#nodes[node + KEY_END]);
    return raw.includes('\\') ? String(parse(raw)) : raw.slice(1, -1);
  }

  text(node: number): string {
    return this.bytes.toString('utf8', this.start(node), this.end(node));
  }

  value(node: number): unknown {
    return parse(this.text(node));
  }

  isString(node: number): boolean {
    return this.bytes[this.start(node)] === QUOTE;
  }

  isObject(node: number): boolean {
    return this.bytes[this.start(node)] === OPEN_BRACE;
  }

  isList(node: number): boolean {
    return this.bytes[this.start(node)] === OPEN_BRACKET;
  }

  isBoolean(node: number): boolean {
    return this.isTrue(node) || this.bytes[this.start(node)] === LETTER_F;
  }

  isTrue(node: number): boolean {
    return this.bytes[this.start(node)] === LETTER_T;
  }

  /** Returns the direct members or elements of this value, in order. */
  children(node: number): number[] {
    const found: number[] = [];
    const end = this.#nextSibling(node);
    for (let inside = node + FIELDS; inside < end; inside = this.#nextSibling(inside)) found.push(inside);
    return found;
  }

  /** Returns the member of this name: the last of two, as in parsers. `key` is ASCII. */
  find(node: number, key: string): number | undefined {
    let found: number | undefined;
    const end = this.#nextSibling(node);
    for (let inside = node + FIELDS; inside < end; inside = this.#nextSibling(inside)) {
      if (this.#isKey(inside, key)) found = inside;
    }
    return found;
  }

  /** Returns every member of this name. */
  findAll(node: number, key: string): number[] {
    return this.children(node).filter((inside) => this.#isKey(inside, key));
  }

  /** Returns every member that some parser takes for this one: some do not distinguish `NAME` from `name`. */
  findIgnoringCase(node: number, key: string): number[] {
    const inCapitals = key.toUpperCase();
    return this.children(node).filter((inside) => {
      const isAlike = equalsIgnoringCase(this.bytes, this.#nodes[inside + KEY_START] ?? NO_KEY, key);
      return isAlike ?? this.key(inside).toUpperCase() === inCapitals;
    });
  }

  /** Returns whether the value is this text, which is ASCII. */
  equalsText(node: number, text: string): boolean {
    return equalsString(this.bytes, this.start(node), text) ?? this.value(node) === text;
  }

  #isKey(node: number, key: string): boolean {
    return equalsString(this.bytes, this.#nodes[node + KEY_START] ?? NO_KEY, key) ?? this.key(node) === key;
  }

  #add(keyStart: number, keyEnd: number, start: number): number {
    const node = this.#size;
    this.#size += FIELDS;
    if (this.#size > this.#nodes.length) this.#grow();
    const nodes = this.#nodes;
    nodes[node + KEY_START] = keyStart;
    nodes[node + KEY_END] = keyEnd;
    nodes[node + START] = start;
    return node;
  }

  #grow(): void {
    const larger = new Int32Array(this.#nodes.length * 2);
    larger.set(this.#nodes);
    this.#nodes = larger;
  }

  #finish(node: number, end: number): void {
    this.#nodes[node + END] = end;
    this.#nodes[node + AFTER] = this.#size;
  }

  #close(depth: number, end: number): void {
    this.#finish(this.#open[depth] ?? 0, end);
  }

  /** Stops at the first limit. Closes all open values, so that their beginning stays readable. */
  #stopIndexing(reason: string, depth: number): void {
    if (this.limitExceeded !== undefined) return;
    this.limitExceeded = reason;
    for (let open = Math.min(depth, MAX_DEPTH) - 1; open >= 0; open--) this.#close(open, 0);
  }

  #nextSibling(node: number): number {
    return this.#nodes[node + AFTER] ?? 0;
  }
}

export const MAX_BYTES = 1024 * 1024;
/**
 * Codex reads a response of 127 levels, and loses the whole list over one more. Some of these levels surround a
 * definition.
 */
export const MAX_DEPTH = 118;
/** Every schema is an object. Nobody reads this many branches, and following them would overwhelm a client. */
export const MAX_BRANCHES = 10_000;

/** Fields of a node: the range of its key, the range of its value, and the next node after its content. */
const KEY_START = 0;
const KEY_END = 1;
const START = 2;
const END = 3;
const AFTER = 4;
const FIELDS = 5;

const NO_KEY = -1;

/** Returns undefined for invalid JSON: JSON itself has no such value. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller handles undefined.
    return undefined;
  }
}
