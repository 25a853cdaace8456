import { CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, VERSION_KEY } from '../../wire/envelope-keys.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { lastMember, scanMembers } from '../../wire/json/scan.ts';
import { type RequestParts, readCommonRequest, type Span } from '../../wire/relay/read-common-request.ts';

/** A request of a modern client, read without building its params. */
export interface ModernRequest {
  /** The client's id, as JSON text. */
  readonly idText: string;
  readonly method: string;
  /** The `_meta` of its params, as JSON text. `{}` if it has none. */
  readonly metaText: string;
  /**
   * Returns its `_meta` as a legacy client would send it: without the envelope. A server that knows both eras would
   * otherwise answer in the modern one.
   */
  readonly legacyMeta: () => string;
  /** Returns the request with another `_meta`, if it has one. Every other byte is unchanged. */
  readonly withMeta: (text: string) => Frame;
  /** Returns a member of its params, as JSON text. */
  readonly param: (name: string) => string | undefined;
}

/** Members of `_meta` that only the modern era has. */
const ENVELOPE_KEYS: ReadonlySet<string> = new Set([VERSION_KEY, CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY]);

/**
 * Splits a request into its envelope and the rest. Undefined for everything that is not a well-formed request. `known`
 * are the parts of the request, if it has been read already.
 */
export function splitEnvelope(frame: Frame, known?: RequestParts): ModernRequest | undefined {
  const parts = known ?? readCommonRequest(frame) ?? scanRequest(frame);
  if (parts === undefined) return undefined;
  const { idText, method, params, textOf, replace } = parts;
  const meta = lastMember(params, '_meta');
  return {
    idText,
    method,
    metaText: meta === undefined ? '{}' : textOf(meta),
    legacyMeta: () => (meta === undefined ? '{}' : withoutEnvelope(parts, meta)),
    withMeta: (text) => (meta === undefined ? frame : [replace(meta, text)]),
    param(name) {
      const member = lastMember(params, name);
      return member && textOf(member);
    },
  };
}

/** Removes the envelope. Otherwise, a server that supports both eras would answer in the modern one. */
function withoutEnvelope({ textOf, membersOf }: RequestParts, meta: Span): string {
  const kept = (membersOf(meta) ?? [])
    .filter(({ key }) => !ENVELOPE_KEYS.has(key))
    .map((member) => `${JSON.stringify(member.key)}:${textOf(member)}`);
  return `{${kept.join(',')}}`;
}

/** Reads a request in any form. */
function scanRequest(frame: Frame): RequestParts | undefined {
  const bytes = frameBytes(frame);
  const members = scanMembers(bytes);
  const id = lastMember(members, 'id');
  const method = lastMember(members, 'method');
  if (id === undefined || method === undefined || !isId(bytes[id.start]) || bytes[method.start] !== QUOTE)
    return undefined;
  const textOf = ({ start, end }: Span) => bytes.toString('utf8', start, end);
  const membersOf = ({ start, end }: Span) => scanMembers(bytes, start, end);
  const params = lastMember(members, 'params');
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

const QUOTE = 34;
const MINUS = 45;

/** Returns whether a string or a number begins with this byte. */
function isId(first: number | undefined): boolean {
  return first === QUOTE || first === MINUS || (first !== undefined && first >= 48 && first <= 57);
}
