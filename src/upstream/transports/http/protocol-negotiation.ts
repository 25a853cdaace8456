import { type ErrorCode, isAppError } from '../../../base/errors.ts';
import { tryParseJson } from '../../../base/text/is-json.ts';
import { SWITCHBOARD_INFO } from '../../../base/version.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { MODERN_VERSION } from '../../../wire/protocol-versions.ts';
import { DISCOVER, discoverText, readDiscovered } from '../modern/discovery.ts';
import { clientMembers } from '../modern/request-meta.ts';
import type { StartExchange } from './exchange/exchange.ts';
import { type HttpReply, sendSingleRequest } from './exchange/single-request.ts';
import { methodHeaders } from './modern/request-headers.ts';

/** Protocol variant of an HTTP server. */
export type ProtocolVariant =
  /** Stateless protocol since 2026-07-28, with the result of `server/discover`. */
  | { readonly kind: 'modern'; readonly discovered: JsonObject }
  /** Streamable HTTP, which starts with `initialize`. A guess if the server did not respond to the probe. */
  | { readonly kind: 'session'; readonly isGuess: boolean }
  /** HTTP with SSE, the oldest transport: one stream to read, one address to write to. */
  | { readonly kind: 'legacy-sse' };

/** Status codes of servers that do not support Streamable HTTP. */
const NOT_STREAMABLE_STATUSES: ReadonlySet<number> = new Set([400, 404, 405]);

/** Timeout of a probe that the server may not understand. */
const PROBE_MS = 5_000;

/**
 * Negotiates the protocol variant. A server without a clear modern response gets the legacy protocol, in which it can
 * report its own errors. Rejects if the server cannot be reached or requires a sign-in.
 */
export async function negotiateVariant(
  startExchange: StartExchange,
  { isSse, probeTimeoutMs = PROBE_MS }: { readonly isSse: boolean; readonly probeTimeoutMs?: number | undefined },
): Promise<ProtocolVariant> {
  if (isSse && (await speaksLegacySse(startExchange))) return { kind: 'legacy-sse' };
  let reply = await probe(startExchange, probeTimeoutMs);
  // The server supports the modern protocol and rejected only this request.
  if (reply !== undefined && namesModernVersion(reply)) reply = await probe(startExchange, probeTimeoutMs);
  const discovered = reply && readDiscovered(tryParseJson(reply.text));
  if (discovered !== undefined) return { kind: 'modern', discovered };
  const isNotStreamable =
    reply !== undefined && NOT_STREAMABLE_STATUSES.has(reply.status) && !isObject(tryParseJson(reply.text));
  if (isNotStreamable && !isSse && (await speaksLegacySse(startExchange))) return { kind: 'legacy-sse' };
  return { kind: 'session', isGuess: reply === undefined };
}

async function probe(startExchange: StartExchange, timeoutMs: number): Promise<HttpReply | undefined> {
  const body = discoverText('probe', clientMembers({ clientInfo: SWITCHBOARD_INFO }));
  const headers = methodHeaders(DISCOVER);
  try {
    return await sendSingleRequest(startExchange, { method: 'POST', headers, body, isSafeToResend: true }, timeoutMs);
  } catch (error) {
    // A legacy server may react to an unknown request in any way: no response, a closed connection, or an endless
    // stream.
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

/**
 * Returns true for an error that lists the modern version as supported.
 * https://modelcontextprotocol.io/specification/2026-07-28
 */
function namesModernVersion({ text }: HttpReply): boolean {
  const message = tryParseJson(text);
  const error = isObject(message) ? message['error'] : undefined;
  const data = isObject(error) && error['code'] === UNSUPPORTED_VERSION ? error['data'] : undefined;
  const supported = isObject(data) ? data['supported'] : undefined;
  return Array.isArray(supported) && supported.includes(MODERN_VERSION);
}

/** Errors that are the same for every variant: the server rejects us, or it cannot be reached. */
const CONCLUSIVE_CODES: ReadonlySet<ErrorCode> = new Set(['SIGN_IN_NEEDED', 'HTTP_FAILED', 'UNREACHABLE', 'DENIED']);
const UNSUPPORTED_VERSION = -32_022;

async function speaksLegacySse(startExchange: StartExchange): Promise<boolean> {
  try {
    const { event } = await sendSingleRequest(startExchange, { method: 'GET', headers: {} }, PROBE_MS);
    return event === 'endpoint';
  } catch (error) {
    // Not an SSE server. The session variant will report what is wrong.
    if (isAppError(error) && CONCLUSIVE_CODES.has(error.code)) throw error;
    return false;
  }
}
