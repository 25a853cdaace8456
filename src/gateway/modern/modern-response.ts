import { type CacheHints, UNCACHED } from '../../upstream/catalog/cache-hints.ts';
import { SERVER_INFO_KEY } from '../../wire/envelope-keys.ts';
import { type Member, scanMembers } from '../../wire/json/scan.ts';
import { type OutgoingMessage, outgoingBytes, type Replacement, replaceSpans } from '../../wire/json/splice.ts';

export interface ModernResponseOptions {
  /** The id in the response, as JSON text. */
  readonly idText: string;
  readonly method: string;
  /** The server's own description, as JSON text. Undefined while it is unknown. */
  readonly serverInfo: string | undefined;
  /** How long a list of the gateway itself may be cached. */
  readonly cacheHints?: CacheHints | undefined;
  /** Whether caches must not share the result, even if its server permits that. */
  readonly isPrivate?: boolean;
}

/**
 * Turns a response of the legacy era into one of the modern era: a result gets the members that the modern era requires,
 * unless it has them, and an unknown resource gets the code of the modern era. All other bytes stay the same.
 */
export function toModernResponse(message: OutgoingMessage, options: ModernResponseOptions): OutgoingMessage {
  const stamped = stampCommonResult(message, options);
  if (stamped !== undefined) return stamped;
  const bytes = outgoingBytes(message);
  const members = scanMembers(bytes);
  const result = members?.findLast(({ key }) => key === 'result');
  if (result !== undefined) return stampResult(bytes, result, options);
  const error = members?.findLast(({ key }) => key === 'error');
  return error === undefined ? message : (replaceNotFound(bytes, error) ?? message);
}

/** Methods whose results say how long they may be cached. */
const CACHEABLE: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'skills/list',
  'skills/get',
]);

const RESULT_FIRST = '{"result":{';
const RESULT_NEXT = ',"result":{';

/** Handles a result in one of the usual forms that has none of the members to add. Undefined for any other response. */
function stampCommonResult(message: OutgoingMessage, options: ModernResponseOptions): OutgoingMessage | undefined {
  if (typeof message !== 'string' || mayHaveMembers(message)) return undefined;
  // The name of a member that the server wrote may contain escapes.
  if (options.isPrivate === true && isCacheableByServer(options)) return undefined;
  const idFirst = `{"jsonrpc":"2.0","id":${options.idText}${RESULT_NEXT}`;
  const at = message.startsWith(idFirst) ? idFirst.length : message.startsWith(RESULT_FIRST) ? RESULT_FIRST.length : -1;
  if (at === -1) return undefined;
  const comma = message[at] === '}' ? '' : ',';
  return `${message.slice(0, at)}${addedMembers(options, NO_MEMBERS)}${comma}${message.slice(at)}`;
}

const NO_MEMBERS: ReadonlySet<string> = new Set();

/** Returns whether the text may contain one of the members to add, at any depth. */
function mayHaveMembers(text: string): boolean {
  return MEMBERS.some((member) => text.includes(member));
}

const MEMBERS = ['"resultType"', '"_meta"', '"ttlMs"', '"cacheScope"'];

/** Returns whether the result comes from a server, with what that says about caching. */
function isCacheableByServer({ method, cacheHints }: ModernResponseOptions): boolean {
  return CACHEABLE.has(method) && cacheHints === undefined;
}

function stampResult(bytes: Buffer, { start, end }: Member, options: ModernResponseOptions): OutgoingMessage {
  const members = scanMembers(bytes, start, end);
  // Not an object, and so not a result of MCP: the client reports that better than we can.
  if (members === undefined) return { pieces: [bytes], bytes: bytes.length };
  const added = addedMembers(options, new Set(members.map(({ key }) => key)));
  const inside = start + 1;
  const comma = members.length === 0 || added === '' ? '' : ',';
  const isPrivate = options.isPrivate === true && isCacheableByServer(options);
  const scopes = isPrivate ? members.filter(({ key }) => key === 'cacheScope') : [];
  return replaceSpans(bytes, [
    { start: inside, end: inside, text: `${added}${comma}` },
    ...scopes.map((scope) => ({ start: scope.start, end: scope.end, text: PRIVATE })),
  ]);
}

const PRIVATE = '"private"';

/**
 * Returns the missing members as JSON text. What a server says about caching is kept. Everything else may change at any
 * time and may depend on the token, so it is not cached.
 */
function addedMembers(options: ModernResponseOptions, present: ReadonlySet<string>): string {
  const { method, serverInfo, cacheHints = UNCACHED, isPrivate } = options;
  const added: string[] = [];
  if (!present.has('resultType')) added.push('"resultType":"complete"');
  if (CACHEABLE.has(method)) {
    if (!present.has('ttlMs')) added.push(`"ttlMs":${cacheHints.ttlMs}`);
    if (!present.has('cacheScope'))
      added.push(`"cacheScope":${isPrivate === true ? PRIVATE : JSON.stringify(cacheHints.cacheScope)}`);
  }
  if (serverInfo !== undefined && !present.has('_meta')) added.push(`"_meta":{"${SERVER_INFO_KEY}":${serverInfo}}`);
  return added.join(',');
}

const LEGACY_NOT_FOUND = '-32002';
const MODERN_NOT_FOUND = '-32602';

function replaceNotFound(bytes: Buffer, { start, end }: Member): OutgoingMessage | undefined {
  const code = scanMembers(bytes, start, end)?.findLast(({ key }) => key === 'code');
  if (code === undefined || bytes.toString('utf8', code.start, code.end) !== LEGACY_NOT_FOUND) return undefined;
  const replacement: Replacement = { start: code.start, end: code.end, text: MODERN_NOT_FOUND };
  return replaceSpans(bytes, [replacement]);
}
