import { type Frame, frameBytes } from './frame.ts';
import { BROKEN, skipSpace, skipValue, type Text, toText, walkMembers } from './scan.ts';
import { isForwardable, type Outgoing, replace } from './splice.ts';

/** A `tools/call` whose bytes may travel on as they are, but for its id, its name and its progress token. */
export interface CallFrame {
  /** As JSON text, exactly as it came. */
  readonly idText: string;
  readonly name: string;
  /** As JSON text; undefined when the caller wants no progress. */
  readonly progressToken: string | undefined;
  readonly bytes: number;
  /** The caller asks for a task instead of a result: the answer names it. */
  readonly isTask: boolean;
  /** The same call under an id of ours, which is the progress token too, and with the name the server itself uses. */
  write(id: number, name: string): Outgoing;
}

/**
 * Finds what has to be replaced in one pass over the bytes and builds no values: arguments are never looked at.
 * Undefined means: parse it. That is so for every other message, and for a call that is made in an unusual way.
 */
export function readCall(frame: Frame): CallFrame | undefined {
  if (!isForwardable(frame)) return undefined;
  const bytes = frameBytes(frame);
  const call = new CallScan(bytes);
  return call.isComplete() ? call : undefined;
}

type What = 'id' | 'name' | 'token';

class CallScan implements CallFrame {
  idText = '';
  name = '';
  progressToken: string | undefined;
  isTask = false;
  readonly #text: Text;
  /** In the order of the bytes, because they were found in one pass. */
  readonly #places: { readonly what: What; readonly start: number; readonly end: number }[] = [];
  #isCall = false;
  #end: number;

  constructor(bytes: Buffer) {
    this.#text = toText(bytes);
    this.#end = walkMembers(this.#text, 0, this.#member);
  }

  get bytes(): number {
    return this.#text.bytes.length;
  }

  isComplete(): boolean {
    if (this.#end === BROKEN || !this.#isCall || this.idText === '' || this.name === '') return false;
    return skipSpace(this.#text.bytes, this.#end) === this.#text.bytes.length;
  }

  write(id: number, name: string): Outgoing {
    const { bytes } = this.#text;
    const [idText, nameText] = [String(id), name === this.name ? undefined : JSON.stringify(name)];
    const textOf = (what: What) => (what === 'name' ? nameText : idText);
    if (bytes.length > MAX_TEXT_BYTES) {
      return replace(
        bytes,
        this.#places.flatMap(({ what, start, end }) => {
          const text = textOf(what);
          return text === undefined ? [] : [{ start, end, text }];
        }),
      );
    }
    const whole = bytes.toString('utf8');
    // Without a character of several bytes, places in the text are those in the bytes.
    const isAscii = whole.length === bytes.length;
    let written = '';
    let from = 0;
    for (const { what, start, end } of this.#places) {
      const text = textOf(what);
      if (text === undefined) continue;
      written += (isAscii ? whole.slice(from, start) : bytes.toString('utf8', from, start)) + text;
      from = end;
    }
    return written + (isAscii ? whole.slice(from) : bytes.toString('utf8', from));
  }

  readonly #member = (key: string, start: number): number => {
    switch (key) {
      case 'jsonrpc':
        return skipValue(this.#text, start);
      case 'id':
        // A second id is somebody's trick: whoever parses it decides.
        return this.idText === '' ? this.#id(start) : BROKEN;
      case 'method':
        this.#isCall = !this.#isCall && this.#stringAt(start, skipValue(this.#text, start)) === 'tools/call';
        return this.#isCall ? skipValue(this.#text, start) : BROKEN;
      case 'params':
        return this.name === '' ? walkMembers(this.#text, start, this.#param) : BROKEN;
    }
    return LOADED_NAMES.has(key.toLowerCase()) ? BROKEN : skipValue(this.#text, start);
  };

  readonly #param = (key: string, start: number): number => {
    switch (key) {
      case 'arguments':
        return skipValue(this.#text, start);
      case 'name':
        return this.name === '' ? this.#name(start) : BROKEN;
      case '_meta':
        return this.#text.bytes[start] === OPEN_BRACE ? walkMembers(this.#text, start, this.#meta) : BROKEN;
      case 'task':
        this.isTask = true;
        return skipValue(this.#text, start);
    }
    return key.toLowerCase() === 'name' ? BROKEN : skipValue(this.#text, start);
  };

  readonly #meta = (key: string, start: number): number => {
    if (key !== 'progressToken') return skipValue(this.#text, start);
    return this.progressToken === undefined ? this.#token(start) : BROKEN;
  };

  #id(start: number): number {
    const end = skipValue(this.#text, start);
    if (!this.#isIdAt(start)) return BROKEN;
    this.idText = this.#text.bytes.toString('utf8', start, end);
    return this.#place('id', start, end);
  }

  #name(start: number): number {
    const end = skipValue(this.#text, start);
    this.name = this.#stringAt(start, end);
    return this.#place('name', start, end);
  }

  #token(start: number): number {
    const end = skipValue(this.#text, start);
    if (!this.#isIdAt(start)) return BROKEN;
    this.progressToken = this.#text.bytes.toString('utf8', start, end);
    return this.#place('token', start, end);
  }

  #place(what: What, start: number, end: number): number {
    this.#places.push({ what, start, end });
    return end;
  }

  /** Empty when no string stands there: no method and no tool has an empty name. */
  #stringAt(start: number, end: number): string {
    const { bytes } = this.#text;
    if (bytes[start] !== QUOTE || end === BROKEN) return '';
    const raw = bytes.toString('utf8', start, end);
    return raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1);
  }

  /** A string or a number. */
  #isIdAt(start: number): boolean {
    const first = this.#text.bytes[start];
    return first === QUOTE || first === MINUS || (first !== undefined && first >= 48 && first <= 57);
  }
}

const QUOTE = 34;
const MINUS = 45;
const OPEN_BRACE = 123;

/** Some parsers do not tell `ID` from `id`: a message that means something else to them is not passed on unread. */
const LOADED_NAMES = new Set(['id', 'method', 'params', 'result', 'error']);

/** A larger call travels in pieces: to make one text of it would copy its arguments twice. */
const MAX_TEXT_BYTES = 64 * 1024;
