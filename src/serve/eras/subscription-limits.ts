import { AppError } from '../../base/errors.ts';

/** So many resources one client may follow at once. */
const MAX_SUBSCRIPTIONS = 1000;
/** Longer than any address that means something; what is kept must have a size. */
const MAX_URI_CHARS = 8192;

/** Checked before anything is kept: `count` is how many the client would follow with these. */
export function checkSubscriptionLimits(uris: Iterable<string>, count: number): void {
  if (count > MAX_SUBSCRIPTIONS) {
    throw new AppError('BUSY', `A client may follow ${MAX_SUBSCRIPTIONS} resources at once: end a subscription first.`);
  }
  for (const uri of uris) {
    if (uri.length > MAX_URI_CHARS)
      throw new AppError(
        'INVALID_PARAMS',
        `A URI of ${uri.length} characters cannot be followed: ${MAX_URI_CHARS} is the limit.`,
      );
  }
}
