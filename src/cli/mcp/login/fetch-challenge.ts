import { type Challenge, readChallenge } from '../../../auth/discovery/challenge.ts';
import { isAppError } from '../../../base/errors.ts';
import type { ResolvedHttp } from '../../../config/resolve/resolve-http.ts';
import type { GuardedFetch } from '../../../net/guarded-fetch.ts';
import { toInitializeParams } from '../../../upstream/connection/handshake.ts';

export interface ChallengeResponse {
  readonly challenge: Challenge;
  /** Undefined when there was no response in time. */
  readonly status: number | undefined;
}

/**
 * Sends `initialize` without a token: a server that requires one responds with a challenge. Throws when it is
 * unreachable.
 */
export async function fetchChallenge({ url, headers }: ResolvedHttp, fetch: GuardedFetch): Promise<ChallengeResponse> {
  const response = await sendInitialize(url, headers, fetch);
  const sessionId = response?.headers.get('mcp-session-id');
  if (sessionId) await endSession(url, { ...headers, 'mcp-session-id': sessionId }, fetch);
  const isRefused = response?.status === 401 || response?.status === 403;
  const wanted = isRefused ? response.headers.get('www-authenticate') : undefined;
  return { challenge: readChallenge(wanted ?? undefined), status: response?.status };
}

async function sendInitialize(
  url: string,
  headers: Readonly<Record<string, string>>,
  fetch: GuardedFetch,
): Promise<Response | undefined> {
  const params = toInitializeParams({});
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const accept = 'application/json, text/event-stream';
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { ...headers, accept, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      followsWithinOrigin: true,
    });
  } catch (error) {
    // A stream that stays open, or a body larger than any refusal. Discovery may still succeed.
    if (isAppError(error) && UNFINISHED.has(error.code)) return undefined;
    throw error;
  }
}

const TIMEOUT_MS = 10_000;
const UNFINISHED: ReadonlySet<string> = new Set(['MESSAGE_TOO_LARGE', 'TIMED_OUT', 'CANCELLED']);

async function endSession(url: string, headers: Record<string, string>, fetch: GuardedFetch): Promise<void> {
  await fetch(url, { method: 'DELETE', headers, followsWithinOrigin: true }).catch(() => {
    // The session expires by itself, and nothing waits for the response.
  });
}
