import { AppError } from '../../base/errors.ts';

/** The maximum number of subscriptions per client. */
const MAX_SUBSCRIPTIONS = 1000;
/** Longer than any sensible URI. Stored URIs need a size limit. */
const MAX_URI_CHARS = 8192;

/** Throws if a subscription exceeds the limits. `count` is the total with the new URIs. Call it before storing them. */
export function checkSubscriptionLimits(uris: Iterable<string>, count: number): void {
  if (count > MAX_SUBSCRIPTIONS) {
    throw new AppError(
      'BUSY',
      `A client may subscribe to ${MAX_SUBSCRIPTIONS} resources at once: end a subscription first.`,
    );
  }
  for (const uri of uris) {
    if (uri.length > MAX_URI_CHARS)
      throw new AppError(
        'INVALID_PARAMS',
        `A URI of ${uri.length} characters cannot be subscribed to: ${MAX_URI_CHARS} is the limit.`,
      );
  }
}
