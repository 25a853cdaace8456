import { AppError } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { isSignInNeeded } from '../sign-in/sign-in-errors.ts';
import type { Credentials } from './credentials.ts';

/** Decides whether requests to a server may carry the sign-in of this user. Asked for every request. */
export type MayUseSignIn = (serverId: string) => boolean;

/** Returns credentials that add the stored sign-in of a server only while it may be used. */
export function limitCredentials(credentials: Credentials, serverId: string, mayUse: MayUseSignIn): Credentials {
  const isAllowed = () => mayUse(serverId);
  return {
    authorization() {
      if (!isAllowed()) return undefined;
      const authorization = credentials.authorization();
      // The permission may have been withdrawn during a token refresh.
      return typeof authorization === 'object'
        ? authorization.then((value) => (isAllowed() ? value : undefined))
        : authorization;
    },
    hasToken: () => isAllowed() && credentials.hasToken(),
    async handleRejection(request) {
      if (isAllowed()) return credentials.handleRejection(request);
      if (credentials.hasToken()) throw notShared(serverId);
      // Without a stored sign-in, there may be another reason: the server may want a key.
      await credentials.handleRejection(request).catch((error: unknown) => {
        throw isSignInNeeded(error) ? notShared(serverId, error) : error;
      });
    },
    hasChanged: () => isAllowed() && credentials.hasChanged(),
  };
}

function notShared(serverId: string, cause?: unknown): AppError {
  return new AppError(
    'SIGN_IN_NEEDED',
    `${quoteIfNeeded(serverId)} needs a sign-in, and this gateway uses its operator's sign-in only if the entry of the server says "shareSignIn": true.`,
    { data: { server: serverId }, cause },
  );
}
