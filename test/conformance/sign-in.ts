import { signIn } from '../../src/auth/sign-in.ts';
import type { SignInRequest } from '../../src/upstream/transports/http/http-servers.ts';

/** The suite knows us by this document; it stands nowhere, and nobody fetches it. */
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';
const SIGN_IN_MS = 20_000;

/** Signs in by a browser without a person: the suite's authorization server sends it straight back. */
export async function signInAtOnce({ server, challenge, store, fetch }: SignInRequest): Promise<void> {
  const { serverId, url, oauth: settings } = server;
  await signIn({
    ...{ serverId, url, settings, challenge, store, fetch, now: Date.now },
    metadataUrl: METADATA_URL,
    signal: AbortSignal.timeout(SIGN_IN_MS),
    show: browse,
  });
}

async function browse(url: string): Promise<void> {
  await (await fetch(url)).text();
}
