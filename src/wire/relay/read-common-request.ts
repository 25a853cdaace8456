import { isAscii } from 'node:buffer';
import type { Frame } from '../frame.ts';
import type { Member } from '../json/scan.ts';
import { findMemberPositions } from '../json-check/json-check.ts';
import { COMMON_ID } from './read-common-call.ts';

/** A part of the bytes of a request. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A request whose params are not decoded. */
export interface RequestParts {
  /** As JSON text. */
  readonly idText: string;
  readonly method: string;
  /** The members of its params. Undefined if these are missing, or no object. */
  readonly params: readonly Member[] | undefined;
  readonly textOf: (span: Span) => string;
  /** Returns the members of an object in the request. */
  readonly membersOf: (span: Span) => readonly Member[] | undefined;
  /** Returns the request with this part replaced. */
  readonly replace: (span: Span, text: string) => Buffer;
}

/**
 * Reads a request in the form that most clients write: without whitespace, with the id first or last, and only ASCII.
 * Returns undefined for any other message. Regular expressions and the JSON check do the work, as in `readCommonCall`.
 */
export function readCommonRequest(frame: Frame): RequestParts | undefined {
  const [bytes] = frame;
  if (bytes === undefined || frame.length > 1 || bytes.length > MAX_BYTES || !isAscii(bytes)) return undefined;
  const text = bytes.toString('latin1');
  const head = readIdFirst(text) ?? readIdLast(text);
  const membersOf = (span: Span) => findMembers(bytes, text, span);
  const params = head && membersOf(head.params);
  if (head === undefined || params === undefined) return undefined;
  return {
    idText: head.idText,
    method: head.method,
    params,
    textOf: ({ start, end }) => text.slice(start, end),
    membersOf,
    replace: ({ start, end }, other) => Buffer.from(text.slice(0, start) + other + text.slice(end)),
  };
}

const MAX_BYTES = 4 * 1024;

interface Head {
  readonly idText: string;
  readonly method: string;
  readonly params: Span;
}

const ID_FIRST = new RegExp(`^{"jsonrpc":"2\\.0","id":(${COMMON_ID}),"method":"([\\w/]+)","params":(?={)`);

function readIdFirst(text: string): Head | undefined {
  const [head, idText, method] = ID_FIRST.exec(text) ?? [];
  if (head === undefined || idText === undefined || method === undefined || !text.endsWith('}')) return undefined;
  return { idText, method, params: { start: head.length, end: text.length - 1 } };
}

const METHOD_FIRST = /^{"method":"([\w/]+)","params":(?={)/;
const JSONRPC_NEXT = ',"jsonrpc":"2.0","id":';
const ID_LAST = new RegExp(`(${COMMON_ID})}$`, 'y');

/** The form of the TypeScript and Python SDKs. */
function readIdLast(text: string): Head | undefined {
  const [head, method] = METHOD_FIRST.exec(text) ?? [];
  const end = text.lastIndexOf(JSONRPC_NEXT);
  if (head === undefined || method === undefined || end === -1) return undefined;
  ID_LAST.lastIndex = end + JSONRPC_NEXT.length;
  const [, idText] = ID_LAST.exec(text) ?? [];
  return idText === undefined ? undefined : { idText, method, params: { start: head.length, end } };
}

const KEY = /"([^"\\]*)":/y;

/**
 * Returns the members of the object. Undefined if it is not valid JSON, or has whitespace before a colon or an escape
 * in a key.
 */
function findMembers(bytes: Buffer, text: string, { start, end }: Span): readonly Member[] | undefined {
  const found = findMemberPositions(bytes, start, end);
  if (found === undefined || text[start] !== '{') return undefined;
  const members: Member[] = [];
  for (let index = 1; index < found.count; index++) {
    const from = (found.positions[index - 1] ?? 0) + 1;
    const to = found.positions[index] ?? 0;
    KEY.lastIndex = from;
    const [written, key] = KEY.exec(text) ?? [];
    if (written !== undefined && key !== undefined) members.push({ key, start: from + written.length, end: to });
    else if (from < to) return undefined;
  }
  return members;
}
