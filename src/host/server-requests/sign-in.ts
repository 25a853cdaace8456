import { signIn } from '../../auth/sign-in/sign-in.ts';
import { signInNeeded } from '../../auth/sign-in/sign-in-errors.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { SignInRequest as Refused } from '../../upstream/transports/http/http-servers.ts';
import type { HostOptions, SignInRequest } from '../host-options.ts';

/** Time limit for a person to sign in. */
const SIGN_IN_MS = 300_000;

export interface HostSignInOptions {
  readonly prompt: NonNullable<HostOptions['signIn']>;
  readonly metadataUrl: string | undefined;
  /** Aborts when the host closes. */
  readonly closing: AbortSignal;
}

/**
 * Signs in to a server that refused a request. The application opens the authorization URL in a browser or shows it.
 */
export async function signInThroughApplication(
  { server, challenge, store, fetch }: Refused,
  { prompt, metadataUrl, closing }: HostSignInOptions,
): Promise<void> {
  const { serverId, url, oauth: settings } = server;
  const over = new AbortController();
  const signal = AbortSignal.any([closing, over.signal, AbortSignal.timeout(SIGN_IN_MS)]);
  let paste: (text: string) => void = () => {};
  const pasted = new Promise<string>((resolve) => {
    paste = resolve;
  });
  const promptUser = async (request: SignInRequest) => {
    try {
      return await prompt(request);
    } catch (error) {
      // An error of the application is not the server's: a retry would only prompt again.
      throw signInNeeded(server, {
        reason: `the application could not prompt the user: ${oneLine(messageOf(error), 200)}`,
      });
    }
  };
  try {
    await signIn({
      ...{ serverId, url, settings, challenge, store, fetch, metadataUrl, signal, now: Date.now },
      pasted: once(pasted),
      async show(authorizationUrl, { issuer, scopes }) {
        const answer: unknown = await promptUser({ server: serverId, url, issuer, scopes, authorizationUrl, signal });
        if (typeof answer === 'string') return paste(answer);
        // Any other answer is a refusal: without it the host would wait for a browser that nobody opened.
        if (answer !== undefined && answer !== true) throw signInNeeded(server, { reason: 'the sign-in was declined' });
      },
    });
  } finally {
    over.abort();
  }
}

/** Returns the pasted URL once: a URL that does not complete the sign-in ends it. */
function once(pasted: Promise<string>): () => Promise<string> {
  let isAsked = false;
  return async () => {
    if (isAsked)
      throw new AppError(
        'SIGN_IN_NEEDED',
        'The application returned a URL that is not the callback URL of this sign-in.',
      );
    isAsked = true;
    return pasted;
  };
}
