import { isAscii } from 'node:buffer';
import type { Frame } from '../frame.ts';
import { findMemberPositions } from '../json-check/json-check.ts';
import type { CallFrame, FieldSpan } from './read-call.ts';

/**
 * Reads a call in the form that most clients write: without blanks, with the id first or last, and only ASCII.
 * Undefined for any other message, including calls in another form.
 *
 * Regular expressions and the JSON check do nearly all of the work, and both are machine code from the start. In a
 * gateway that has just started, a JavaScript loop over the bytes is slow until V8 has compiled it, and compiling it
 * costs more than hundreds of calls.
 */
export function readCommonCall(frame: Frame): CallFrame | undefined {
  const [bytes] = frame;
  if (bytes === undefined || frame.length > 1 || bytes.length > MAX_BYTES || !isAscii(bytes)) return undefined;
  const call = new CommonCall(bytes.toString('latin1'));
  return call.readId() && call.readParams(bytes) && call.readMeta(bytes) ? call : undefined;
}

const MAX_BYTES = 4 * 1024;

/** Matches the ids that most clients choose. */
export const COMMON_ID = '(?:-?(?:0|[1-9]\\d{0,14})|"[\\w-]{1,64}")';
/** The form of Codex and most other clients. */
const ID_FIRST = new RegExp(`^{"jsonrpc":"2\\.0","id":(${COMMON_ID}),"method":"tools/call","params":(?={)`);
/** The form of the TypeScript and Python SDKs. */
const METHOD_FIRST = '{"method":"tools/call","params":{';
const JSONRPC_NEXT = ',"jsonrpc":"2.0","id":';
const ID_LAST = new RegExp(`(${COMMON_ID})}$`, 'y');
const TOKEN_KEY = '"progressToken":';
const TOKEN = new RegExp(`^${COMMON_ID}$`);
const PLAIN = /^"[^"\\]+"$/;
const PLAIN_KEY = /"[^"\\]*":/y;

class CommonCall implements CallFrame {
  idText = '';
  name = '';
  progressToken: string | undefined;
  readonly isTask = false;
  readonly #text: string;
  #params = { start: 0, end: 0 };
  #meta: { readonly start: number; readonly end: number } | undefined;
  /** In text order once everything has been read. */
  readonly #spans: FieldSpan[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  get bytes(): number {
    return this.#text.length;
  }

  parseMeta(): unknown {
    return this.#meta && JSON.parse(this.#text.slice(this.#meta.start, this.#meta.end));
  }

  write(id: number, name: string): string {
    const text = this.#text;
    let written = '';
    let from = 0;
    for (const { field, start, end } of this.#spans) {
      written += text.slice(from, start) + (field === 'name' ? JSON.stringify(name) : String(id));
      from = end;
    }
    return written + text.slice(from);
  }

  readId(): boolean {
    const text = this.#text;
    const head = ID_FIRST.exec(text);
    if (head?.[1] !== undefined) {
      this.#params = { start: head[0].length, end: text.length - 1 };
      return text.endsWith('}') && this.#setId(head[1], text.indexOf(':', '{"jsonrpc":'.length) + 1);
    }
    if (!text.startsWith(METHOD_FIRST)) return false;
    const end = text.lastIndexOf(JSONRPC_NEXT);
    this.#params = { start: METHOD_FIRST.length - 1, end };
    ID_LAST.lastIndex = end + JSONRPC_NEXT.length;
    const tail = end === -1 ? undefined : ID_LAST.exec(text)?.[1];
    return tail !== undefined && this.#setId(tail, end + JSONRPC_NEXT.length);
  }

  #setId(idText: string, start: number): true {
    this.idText = idText;
    this.#spans.push({ field: 'id', start, end: start + idText.length });
    return true;
  }

  readParams(bytes: Buffer): boolean {
    const members = findMemberPositions(bytes, this.#params.start, this.#params.end);
    if (members === undefined) return false;
    const { positions, count } = members;
    for (let index = 1; index < count; index++) {
      if (!this.#readParam((positions[index - 1] ?? 0) + 1, positions[index] ?? 0)) return false;
    }
    return this.name !== '';
  }

  /** Reads one member, key included. */
  #readParam(start: number, end: number): boolean {
    const text = this.#text;
    if (text.startsWith('"arguments":', start)) return true;
    if (text.startsWith('"name":', start)) return this.#readName(start + '"name":'.length, end);
    if (!text.startsWith('"_meta":{', start) || this.#meta !== undefined) return false;
    this.#meta = { start: start + '"_meta":'.length, end };
    return true;
  }

  #readName(start: number, end: number): boolean {
    const value = this.#text.slice(start, end);
    if (this.name !== '' || !PLAIN.test(value)) return false;
    this.name = value.slice(1, -1);
    this.#spans.push({ field: 'name', start, end });
    return true;
  }

  /** Sorts the spans at the end, because `_meta` may come before the name and the id. */
  readMeta(bytes: Buffer): boolean {
    if (this.#meta !== undefined) {
      const members = findMemberPositions(bytes, this.#meta.start, this.#meta.end);
      if (members === undefined) return false;
      const { positions, count } = members;
      for (let index = 1; index < count; index++) {
        if (!this.#readMetaMember((positions[index - 1] ?? 0) + 1, positions[index] ?? 0)) return false;
      }
    }
    this.#spans.sort((a, b) => a.start - b.start);
    return true;
  }

  #readMetaMember(start: number, end: number): boolean {
    if (this.#text.startsWith(TOKEN_KEY, start)) return this.#readToken(start + TOKEN_KEY.length, end);
    // A key with escapes or blanks could be `progressToken`. An empty object has no key.
    PLAIN_KEY.lastIndex = start;
    return start === end || PLAIN_KEY.test(this.#text);
  }

  #readToken(start: number, end: number): boolean {
    const value = this.#text.slice(start, end);
    if (this.progressToken !== undefined || !TOKEN.test(value)) return false;
    this.progressToken = value;
    this.#spans.push({ field: 'token', start, end });
    return true;
  }
}
