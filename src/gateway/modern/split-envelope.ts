import { CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, VERSION_KEY } from '../../wire/envelope-keys.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { type Member, scanMembers } from '../../wire/json/scan.ts';

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
  const bytes = frameBytes(frame);
  const members = scanMembers(bytes);
  const textOf = ({ start, end }: Member) => bytes.toString('utf8', start, end);
  const id = lastOf(members, 'id');
  const method = lastOf(members, 'method');
  if (id === undefined || method === undefined || !isId(bytes[id.start]) || bytes[method.start] !== QUOTE)
    return undefined;
  const params = lastOf(members, 'params');
  const paramMembers = params && scanMembers(bytes, params.start, params.end);
  const meta = lastOf(paramMembers, '_meta');
  return {
    idText: textOf(id),
    method: String(JSON.parse(textOf(method))),
    metaText: meta === undefined ? '{}' : textOf(meta),
    legacyFrame: () => (meta === undefined ? frame : [withoutEnvelope(bytes, meta)]),
    param(name) {
      const member = lastOf(paramMembers, name);
      return member && textOf(member);
    },
  };
}

/** Returns the last member of this name, which is the one that `JSON.parse` keeps. */
function lastOf(members: readonly Member[] | undefined, name: string): Member | undefined {
  return members?.findLast(({ key }) => key === name);
}

/** Removes the envelope. A server that knows both eras would otherwise answer in the modern one. */
function withoutEnvelope(bytes: Buffer, { start, end }: Member): Buffer {
  const kept = (scanMembers(bytes, start, end) ?? [])
    .filter(({ key }) => !ENVELOPE_KEYS.has(key))
    .map((member) => `${JSON.stringify(member.key)}:${bytes.toString('utf8', member.start, member.end)}`);
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(`{${kept.join(',')}}`), bytes.subarray(end)]);
}

const QUOTE = 34;
const MINUS = 45;

/** Returns whether a string or a number begins with this byte. */
function isId(first: number | undefined): boolean {
  return first === QUOTE || first === MINUS || (first !== undefined && first >= 48 && first <= 57);
}
