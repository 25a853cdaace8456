import { AppError, isAppError } from '../../base/errors.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import type { JsonObject } from '../../wire/messages.ts';
import { NEWEST_LEGACY_VERSION } from '../../wire/protocol-versions.ts';
import { parseJsonObject } from '../oauth/response-body.ts';

/**
 * Fetches a metadata document. Returns undefined if there is none at this URL: an error status, or a page for people. A
 * server that cannot be reached causes an error, which never means that there is no document.
 */
export async function fetchDocument(url: string, fetch: GuardedFetch): Promise<JsonObject | undefined> {
  const response = await requestDocument(url, fetch);
  if (response === undefined) return undefined;
  const isBusy = response.status >= 500 || response.status === 429 || response.status === 408;
  if (isBusy) throw discoveryFailed(url, 'CONNECTION_CLOSED', `it returned HTTP status ${response.status}`);
  if (response.status !== 200) return undefined;
  return parseJsonObject(await response.text());
}

/** Returns undefined if the body cannot be decompressed; it is then treated like an HTML page. */
async function requestDocument(url: string, fetch: GuardedFetch): Promise<Response | undefined> {
  try {
    return await fetch(url, { headers: { accept: 'application/json', 'mcp-protocol-version': NEWEST_LEGACY_VERSION } });
  } catch (error) {
    if (isAppError(error) && error.code === 'BAD_ANSWER' && error.data?.['isUnreadable'] === true) return undefined;
    if (!isAppError(error) || !['CONNECTION_CLOSED', 'TIMED_OUT', 'MESSAGE_TOO_LARGE'].includes(error.code))
      throw error;
    throw discoveryFailed(url, error.code, error.message, error);
  }
}

function discoveryFailed(url: string, code: AppError['code'], why: string, cause?: unknown): AppError {
  const { host, pathname } = new URL(url);
  const message = `Could not determine how to sign in: requested ${pathname} from ${host}, and ${why.replace(/\.$/, '')}.`;
  return new AppError(code, `${message} Try again later.`, { cause });
}
