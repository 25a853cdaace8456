import { tryParseJson } from '../../base/text/is-json.ts';
import { type Frame, frameBytes } from '../frame.ts';
import {
  INVALID_JSON,
  isKey,
  type Key,
  keyText,
  type MemberVisitor,
  type ScanInput,
  skipSpace,
  skipValue,
  toScanInput,
  walkMembers,
} from '../json/scan.ts';
import { isForwardable, type OutgoingMessage, replaceSpans } from '../json/splice.ts';
import { MAX_DEPTH } from '../json-check/json-check.ts';
import { readCommonCall } from './read-common-call.ts';

/** A `tools/call` whose bytes can be forwarded unchanged, except for its id, name and progress token. */
export interface CallFrame {
  /** As JSON text, exactly as received. */
  readonly idText: string;
  readonly name: string;
  /** As JSON text; undefined when the caller wants no progress. */
  readonly progressToken: string | undefined;
  readonly bytes: number;
  /** The caller requests a task instead of a result: the response names the task. */
  readonly isTask: boolean;
  /** Parses `_meta`. Few calls need it. */
  parseMeta(): unknown;
  /** Returns the call under an id of ours, which is also its progress token, and with the server's own tool name. */
  write(id: number, name: string): OutgoingMessage;
}

/**
 * Finds the parts to replace in one pass over the bytes and builds no values: it never decodes the arguments. Undefined
 * means that the message must be parsed. This applies to every other message, and to calls in an unusual form.
 */
export function readCall(frame: Frame): CallFrame | undefined {
  return readCommonCall(frame) ?? scanCall(frame);
}

function scanCall(frame: Frame): CallFrame | undefined {
  if (!isForwardable(frame)) return undefined;
  const bytes = frameBytes(frame);
  const call = new CallScan(bytes);
  return call.read() ? call : undefined;
}

/** Position of a field that is replaced. */
export interface FieldSpan {
  readonly field: 'id' | 'name' | 'token';
  readonly start: number;
  readonly end: number;
}

/** The object that is being walked. */
const MESSAGE = 0;
const PARAMS = 1;
const META = 2;

class CallScan implements CallFrame, MemberVisitor {
  idText = '';
  name = '';
  progressToken: string | undefined;
  isTask = false;
  readonly #text: ScanInput;
  /** In byte order, because one pass finds them. */
  readonly #spans: FieldSpan[] = [];
  #isCall = false;
  #hasParams = false;
  #metaSpan: { readonly start: number; readonly end: number } | undefined;

  constructor(bytes: Buffer) {
    this.#text = toScanInput(bytes);
  }

  get bytes(): number {
    return this.#text.bytes.length;
  }

  /** Returns whether the message is a call in a usual form. */
  read(): boolean {
    const end = walkMembers(this.#text, 0, this, MESSAGE);
    if (end === INVALID_JSON || !this.#isCall || this.idText === '' || this.name === '') return false;
    return skipSpace(this.#text.bytes, end) === this.#text.bytes.length;
  }

  parseMeta(): unknown {
    const span = this.#metaSpan;
    return span && tryParseJson(this.#text.bytes.toString('utf8', span.start, span.end));
  }

  write(id: number, name: string): OutgoingMessage {
    const idText = String(id);
    const nameText = name === this.name ? undefined : JSON.stringify(name);
    return spliceFields(this.#text.bytes, this.#spans, idText, nameText);
  }

  member(key: Key, start: number, level: number): number {
    if (level === MESSAGE) return this.#member(key, start);
    return level === PARAMS ? this.#param(key, start) : this.#meta(key, start);
  }

  #member(key: Key, start: number): number {
    const { bytes } = this.#text;
    if (isKey(bytes, key, 'jsonrpc')) return skipValue(this.#text, start);
    // A second id may be an attack: the message is parsed instead.
    if (isKey(bytes, key, 'id')) return this.idText === '' ? this.#id(start) : INVALID_JSON;
    if (isKey(bytes, key, 'method')) return this.#method(start);
    if (isKey(bytes, key, 'params')) return this.#params(start);
    return RESERVED_NAMES.has(keyText(bytes, key).toLowerCase()) ? INVALID_JSON : this.#skip(start, MESSAGE);
  }

  #param(key: Key, start: number): number {
    const { bytes } = this.#text;
    if (isKey(bytes, key, 'arguments')) return this.#skip(start, PARAMS);
    if (isKey(bytes, key, 'name')) return this.name === '' ? this.#name(start) : INVALID_JSON;
    if (isKey(bytes, key, '_meta')) return this.#metaObject(start);
    const word = keyText(bytes, key).toLowerCase();
    if (word === 'task') this.isTask = true;
    return word === 'name' || word === '_meta' ? INVALID_JSON : this.#skip(start, PARAMS);
  }

  #meta(key: Key, start: number): number {
    if (isKey(this.#text.bytes, key, 'progressToken'))
      return this.progressToken === undefined ? this.#token(start) : INVALID_JSON;
    return keyText(this.#text.bytes, key) === 'progressToken' ? INVALID_JSON : this.#skip(start, META);
  }

  /** Returns `INVALID_JSON` for a value nested too deep: the message is then parsed, and refused there. */
  #skip(start: number, level: number): number {
    return skipValue(this.#text, start, MAX_DEPTH - 1 - level);
  }

  #params(start: number): number {
    if (this.#hasParams) return INVALID_JSON;
    this.#hasParams = true;
    return walkMembers(this.#text, start, this, PARAMS);
  }

  #metaObject(start: number): number {
    if (this.#metaSpan !== undefined || this.#text.bytes[start] !== OPEN_BRACE) return INVALID_JSON;
    this.#metaSpan = { start, end: start };
    const end = walkMembers(this.#text, start, this, META);
    this.#metaSpan = { start, end };
    return end;
  }

  #method(start: number): number {
    const end = skipValue(this.#text, start);
    if (this.#isCall || !isKey(this.#text.bytes, { start, end }, 'tools/call')) return INVALID_JSON;
    this.#isCall = true;
    return end;
  }

  #id(start: number): number {
    const end = skipValue(this.#text, start);
    if (!this.#isIdAt(start)) return INVALID_JSON;
    this.idText = this.#text.bytes.toString('utf8', start, end);
    return this.#addSpan('id', start, end);
  }

  #name(start: number): number {
    const end = skipValue(this.#text, start);
    this.name = this.#text.bytes[start] === QUOTE ? keyText(this.#text.bytes, { start, end }) : '';
    return this.#addSpan('name', start, end);
  }

  #token(start: number): number {
    const end = skipValue(this.#text, start);
    if (!this.#isIdAt(start)) return INVALID_JSON;
    this.progressToken = this.#text.bytes.toString('utf8', start, end);
    return this.#addSpan('token', start, end);
  }

  #addSpan(field: FieldSpan['field'], start: number, end: number): number {
    this.#spans.push({ field, start, end });
    return end;
  }

  /** Returns whether a string or a number begins here. */
  #isIdAt(start: number): boolean {
    const first = this.#text.bytes[start];
    return first === QUOTE || first === MINUS || (first !== undefined && first >= 48 && first <= 57);
  }
}

/** `nameText` is undefined when the name stays as it is. */
function spliceFields(
  bytes: Buffer,
  spans: readonly FieldSpan[],
  idText: string,
  nameText: string | undefined,
): OutgoingMessage {
  const edits = spans.filter(({ field }) => field !== 'name' || nameText !== undefined);
  const textOf = ({ field }: FieldSpan): string => (field === 'name' ? (nameText ?? '') : idText);
  if (bytes.length > MAX_TEXT_BYTES) {
    return replaceSpans(
      bytes,
      edits.map((span) => ({ start: span.start, end: span.end, text: textOf(span) })),
    );
  }
  const whole = bytes.toString('utf8');
  // Without multi-byte characters, positions in the text are those in the bytes.
  const isAscii = whole.length === bytes.length;
  let written = '';
  let from = 0;
  for (const span of edits) {
    written += isAscii ? whole.slice(from, span.start) : bytes.toString('utf8', from, span.start);
    written += textOf(span);
    from = span.end;
  }
  return written + (isAscii ? whole.slice(from) : bytes.toString('utf8', from));
}

const QUOTE = 34;
const MINUS = 45;
const OPEN_BRACE = 123;

/** Some parsers do not distinguish `ID` from `id`: a message that means something else to them must be parsed first. */
const RESERVED_NAMES = new Set(['id', 'method', 'params', 'result', 'error']);

/** A larger call is sent in pieces, because joining it into one text would copy its arguments twice. */
const MAX_TEXT_BYTES = 4 * 1024;
