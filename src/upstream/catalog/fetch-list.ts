import { AppError, toAppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../wire/messages.ts';
import { STARTUP_TIMEOUT_MS } from '../limits.ts';
import type { Upstream } from '../upstream.ts';
import { NO_LIST, UNCACHED } from './cache-hints.ts';
import { LIST_METHODS, type Listing, type ListKind, readListing } from './listing.ts';

/** Fetches a whole list. Returns an empty one if the server has nothing of this kind; rejects if it sends no list. */
export async function fetchList(upstream: Upstream, kind: ListKind): Promise<Listing> {
  if (capabilityFor(upstream, kind) === undefined) return { ...NO_PAGES, hints: NO_LIST };
  try {
    const listing = await readListing(kind, (params) =>
      upstream.request(LIST_METHODS[kind], params, STARTUP_TIMEOUT_MS),
    );
    if (listing.pages.length > 0 || listing.problem === undefined) return listing;
    throw new AppError('BAD_ANSWER', `the server sent ${listing.problem}`);
  } catch (error) {
    if (kind !== 'tools' && isUnknownMethod(error)) return NO_PAGES;
    throw error;
  }
}

const NO_PAGES: Listing = { pages: [], problem: undefined, hints: UNCACHED };

/** Returns the capability that a server has declared for a list. Undefined if it has none of this kind. */
export function capabilityFor(
  { initializeResult }: Pick<Upstream, 'initializeResult'>,
  kind: ListKind,
): JsonObject | undefined {
  const declared = initializeResult?.capabilities[kind === 'resourceTemplates' ? 'resources' : kind];
  return isObject(declared) ? declared : undefined;
}

/**
 * Returns true for a "method not found" error. Many servers declare resources or prompts but implement only some of
 * their methods. Callers treat the other lists as empty.
 */
export function isUnknownMethod(error: unknown): boolean {
  return toAppError(error).data?.['rpcCode'] === METHOD_NOT_FOUND;
}

const METHOD_NOT_FOUND = -32601;

/** Turns a refused list request into `LIST_FAILED`: the server runs, but is degraded. Other errors stay as they are. */
export function toListError(kind: ListKind, thrown: unknown): AppError {
  const error = toAppError(thrown);
  if (error.code !== 'REQUEST_FAILED') return error;
  const message = `it is degraded: ${LIST_METHODS[kind]} failed: ${error.message}`;
  return new AppError('LIST_FAILED', message, {
    cause: thrown,
    ...(error.data === undefined ? {} : { data: error.data }),
  });
}
