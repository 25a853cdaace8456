import { type ErrorCode, isAppError } from '../../../base/errors.ts';
import { VERSION } from '../../../base/version.ts';
import { isObject, requestText } from '../../../wire/messages.ts';
import type { BeginExchange } from './exchange/exchange.ts';
import { type HttpReply, sendSingleRequest } from './exchange/single-request.ts';
import { CAPABILITIES_KEY, CLIENT_INFO_KEY, MODERN_VERSION, VERSION_KEY } from './modern/envelope.ts';

/** How a server is spoken to. */
export type ProtocolVariant =
  /** The modern era; what it says of itself is known already. */
  | { readonly kind: 'modern'; readonly discovered: Readonly<Record<string, unknown>> }
  /** Streamable HTTP, which begins with `initialize`. A guess, when the server did not say anything. */
  | { readonly kind: 'session'; readonly isGuess: boolean }
  /** The oldest way: a stream to listen to, and an address to write to. */
  | { readonly kind: 'two-addresses' };

/** What a server answers that cannot be spoken to in this way at all. */
const NOT_STREAMABLE_STATUSES: ReadonlySet<number> = new Set([400, 404, 405]);

/** So long a server may think about a question that it perhaps does not know. */
const PROBE_MS = 5_000;

/**
 * Asks the server which era it speaks. Whoever does not plainly answer in the modern one is spoken to in the legacy one,
 * where it can say itself what is wrong. Rejects when it cannot be reached, or wants a sign-in.
 */
export async function negotiateVariant(
  begin: BeginExchange,
  { isSse, patienceMs: timeoutMs = PROBE_MS }: { readonly isSse: boolean; readonly patienceMs?: number | undefined },
): Promise<ProtocolVariant> {
  if (isSse && (await speaksLegacySse(begin))) return { kind: 'two-addresses' };
  let reply = await probe(begin, timeoutMs);
  // It speaks the modern era and refused only this once.
  if (reply !== undefined && namesModernVersion(reply)) reply = await probe(begin, timeoutMs);
  const discovered = reply && readDiscovered(reply);
  if (discovered !== undefined) return { kind: 'modern', discovered };
  const isNotStreamable =
    reply !== undefined && NOT_STREAMABLE_STATUSES.has(reply.status) && !isObject(parse(reply.text));
  if (isNotStreamable && !isSse && (await speaksLegacySse(begin))) return { kind: 'two-addresses' };
  return { kind: 'session', isGuess: reply === undefined };
}

async function probe(begin: BeginExchange, timeoutMs: number): Promise<HttpReply | undefined> {
  const meta = {
    [VERSION_KEY]: MODERN_VERSION,
    [CLIENT_INFO_KEY]: { name: 'switchboard', version: VERSION },
    [CAPABILITIES_KEY]: {},
  };
  const body = requestText('probe', 'server/discover', { _meta: meta });
  const headers = { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': 'server/discover' };
  try {
    return await sendSingleRequest(begin, { method: 'POST', headers, body, isIdempotent: true }, timeoutMs);
  } catch (error) {
    // A legacy server may do anything with what it does not know: leave it unanswered, hang up, or talk without an end.
    if (isAppError(error) && INCONCLUSIVE_CODES.has(error.code)) return undefined;
    throw error;
  }
}

const INCONCLUSIVE_CODES: ReadonlySet<ErrorCode> = new Set([
  'TIMED_OUT',
  'CONNECTION_CLOSED',
  'MESSAGE_TOO_LARGE',
  'BAD_ANSWER',
]);

function readDiscovered({ text }: HttpReply): Readonly<Record<string, unknown>> | undefined {
  const message = parse(text);
  const result = isObject(message) ? message['result'] : undefined;
  const versions = isObject(result) ? result['supportedVersions'] : undefined;
  return isObject(result) && Array.isArray(versions) && versions.includes(MODERN_VERSION) ? result : undefined;
}

/** https://modelcontextprotocol.io/specification/2026-07-28: an error that lists the versions which are spoken. */
function namesModernVersion({ text }: HttpReply): boolean {
  const message = parse(text);
  const error = isObject(message) ? message['error'] : undefined;
  const data = isObject(error) && error['code'] === UNSUPPORTED_VERSION ? error['data'] : undefined;
  const supported = isObject(data) ? data['supported'] : undefined;
  return Array.isArray(supported) && supported.includes(MODERN_VERSION);
}

/** What a server says of us, or what keeps us from it, is the same on every way. */
const CONCLUSIVE_CODES: ReadonlySet<ErrorCode> = new Set(['SIGN_IN_NEEDED', 'HTTP_FAILED', 'UNREACHABLE', 'DENIED']);
const UNSUPPORTED_VERSION = -32_022;

async function speaksLegacySse(begin: BeginExchange): Promise<boolean> {
  try {
    const { event } = await sendSingleRequest(begin, { method: 'GET', headers: {} }, PROBE_MS);
    return event === 'endpoint';
  } catch (error) {
    // Else it is no server of this kind, and the usual way will tell what it is.
    if (isAppError(error) && CONCLUSIVE_CODES.has(error.code)) throw error;
    return false;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A page, or nothing at all.
    return undefined;
  }
}
