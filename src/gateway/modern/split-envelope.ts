import { CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, VERSION_KEY } from '../../wire/envelope-keys.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { type Member, scanMembers } from '../../wire/json/scan.ts';
import { type RequestParts, readCommonRequest, type Span } from '../../wire/relay/read-common-request.ts';

/** A request of a modern client, read without building its params. */
export interface ModernRequest {
  /** The client's id, as JSON text. */
  readonly idText: string;
  readonly method: string;
  /** The `_meta` of its params, as JSON text. `{}` if it has none. */
  readonly metaText: string;
  /** The request as a legacy client would send it: without the envelope, every other byte unchanged. */
  readonly legacyFrame: () => Frame;
  /** Returns a member of its params, as JSON text. */
  readonly param: (name: string) => string | undefined;
}

/** Members of `_meta` that only the modern era has. */
const ENVELOPE_KEYS: ReadonlySet<string> = new Set([VERSION_KEY, CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY]);

/** Splits a request into its envelope and the rest. Undefined for everything that is not a well-formed request. */
export function splitEnvelope(frame: Frame): ModernRequest | undefined {
  const parts = readCommonRequest(frame) ?? scanRequest(frame);
  if (parts === undefined) return undefined;
  const { idText, method, params, textOf } = parts;
  const meta = lastOf(params, '_meta');
  return {
    idText,
    method,
    metaText: meta === undefined ? '{}' : textOf(meta),
    legacyFrame: () => (meta === undefined ? frame : [withoutEnvelope(parts, meta)]),
    param(name) {
      const member = lastOf(params, name);
      return member && textOf(member);
    },
  };
}

/** Removes the envelope. Otherwise, a server that supports both eras would answer in the modern one. */
function withoutEnvelope({ textOf, membersOf, replace }: RequestParts, meta: Member): Buffer {
  const kept = (membersOf(meta) ?? [])
    .filter(({ key }) => !ENVELOPE_KEYS.has(key))
    .map((member) => `${JSON.stringify(member.key)}:${textOf(member)}`);
  return replace(meta, `{${kept.join(',')}}`);
}

/** Reads a request in any form. */
function scanRequest(frame: Frame): RequestParts | undefined {
  const bytes = frameBytes(frame);
  const members = scanMembers(bytes);
  const id = lastOf(members, 'id');
  const method = lastOf(members, 'method');
  if (id === undefined || method === undefined || !isId(bytes[id.start]) || bytes[method.start] !== QUOTE)
    return undefined;
  const textOf = ({ start, end }: Span) => bytes.toString('utf8', start, end);
  const membersOf = ({ start, end }: Span) => scanMembers(bytes, start, end);
  const params = lastOf(members, 'params');
  return {
    idText: textOf(id),
    method: String(JSON.parse(textOf(method))),
    params: params && membersOf(params),
    textOf,
    membersOf,
    replace: ({ start, end }, text) =>
      Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)]),
  };
}

/** Returns the last member of this name, which is the one that `JSON.parse` keeps. */
function lastOf(members: readonly Member[] | undefined, name: string): Member | undefined {
  return members?.findLast(({ key }) => key === name);
}

const QUOTE = 34;
const MINUS = 45;

/** Returns whether a string or a number begins with this byte. */
function isId(first: number | undefined): boolean {
  return first === QUOTE || first === MINUS || (first !== undefined && first >= 48 && first <= 57);
}
