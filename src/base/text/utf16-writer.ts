/**
 * Builds a text one UTF-16 unit at a time. Millions of short strings, or of pattern matches, cost ten times as much: a
 * long text full of hidden characters would block all other clients for seconds.
 */
export class Utf16Writer {
  readonly #units: Uint16Array<ArrayBuffer>;
  readonly #pieces: string[] = [];
  #end = 0;
  #flushed = 0;

  /** `length` is the expected length; the text may become longer. */
  constructor(length: number) {
    this.#units = new Uint16Array(Math.min(Math.max(length, MIN_UNITS), MAX_UNITS));
  }

  get length(): number {
    return this.#flushed + this.#end;
  }

  /** The last unit that was written and not dropped; `undefined` when there is none. */
  get last(): number | undefined {
    if (this.#end === 0) this.#reload();
    return this.#units[this.#end - 1];
  }

  write(unit: number): void {
    if (this.#end === this.#units.length) this.#flush();
    this.#units[this.#end++] = unit;
  }

  /** Drops the unit that `last` returned. Read `last` first. */
  dropLast(): void {
    this.#end--;
  }

  toString(): string {
    return this.#pieces.join('') + utf16ToString(this.#units, this.#end);
  }

  /** Flushes only the first half, so that the latest units stay in the buffer. */
  #flush(): void {
    const half = this.#units.length >> 1;
    this.#pieces.push(utf16ToString(this.#units, half));
    this.#units.copyWithin(0, half);
    this.#flushed += half;
    this.#end -= half;
  }

  #reload(): void {
    const piece = this.#pieces.pop() ?? '';
    for (let at = 0; at < piece.length; at++) this.#units[at] = piece.charCodeAt(at);
    this.#flushed -= piece.length;
    this.#end = piece.length;
  }
}

const MIN_UNITS = 32;
const MAX_UNITS = 16 * 1024;

/** Returns the first `end` units as text. */
export function utf16ToString(units: Uint16Array<ArrayBuffer>, end: number): string {
  const bytes = Buffer.from(units.buffer, units.byteOffset, 2 * end);
  return (IS_BIG_ENDIAN ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
}

const IS_BIG_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0;
