import { signIn } from '../auth/sign-in.ts';
import { signInNeeded } from '../auth/sign-in-errors.ts';
import { AppError } from '../base/errors.ts';
import type { SignInRequest as Refused } from '../upstream/transports/http/http-servers.ts';
import type { HostOptions } from './host-options.ts';

/** How long a person may take. */
const SIGN_IN_MS = 300_000;

export interface HostSignInOptions {
  readonly ask: NonNullable<HostOptions['signIn']>;
  readonly metadataUrl: string | undefined;
  /** Fires when the host is closed. */
  readonly closing: AbortSignal;
}

/** Signs in to a server that refused us, by a browser that the application opens, or shows the address of. */
export async function signInByHost(
  { server, challenge, store, fetch }: Refused,
  { ask, metadataUrl, closing }: HostSignInOptions,
): Promise<void> {
  const { serverId, url, oauth: settings } = server;
  const over = new AbortController();
  const signal = AbortSignal.any([closing, over.signal, AbortSignal.timeout(SIGN_IN_MS)]);
  let paste: (text: string) => void = () => {};
  const pasted = new Promise<string>((resolve) => {
    paste = resolve;
  });
  try {
    await signIn({
      ...{ serverId, url, settings, challenge, store, fetch, metadataUrl, signal, now: Date.now },
      pasted: onlyOnce(pasted),
      async show(authorizationUrl, { issuer, scopes }) {
        const answer = await ask({ server: serverId, url, issuer, scopes, authorizationUrl, signal });
        if (answer === false) throw signInNeeded(server, { reason: 'nobody wanted to sign in' });
        if (typeof answer === 'string') paste(answer);
      },
    });
  } finally {
    over.abort();
  }
}

/** Nobody pastes a second time: an address that is of no use ends the sign-in. */
function onlyOnce(pasted: Promise<string>): () => Promise<string> {
  let isAsked = false;
  return async () => {
    if (isAsked) throw new AppError('SIGN_IN_NEEDED', 'What the application gave is not where this sign-in ends.');
    isAsked = true;
    return pasted;
  };
}
