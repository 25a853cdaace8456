import { isAppError } from '../../base/errors.ts';
import type { LoginContext } from '../credentials/token-refresh.ts';
import type { Challenge } from '../discovery/challenge.ts';
import { type Discovery, discover } from '../discovery/discovery.ts';
import { obtainClient } from '../oauth/client-registration.ts';
import { type AuthRecord, withoutClient } from '../store/auth-record.ts';
import { beginAuthorization, chooseScope, finishAuthorization } from './authorization.ts';
import { openCallbackListener } from './callback-listener.ts';
import { chooseCallbackTarget } from './callback-target.ts';
import { type DeviceCode, pollForTokens, requestDeviceCode } from './device-flow.ts';
import { noSignInOffered } from './sign-in-errors.ts';
import { saveClient, saveTokens, storedClient } from './sign-in-record.ts';
import { waitForCallback } from './wait-for-callback.ts';

interface FlowOptions extends LoginContext {
  /** What the server said when it refused a request. */
  readonly challenge?: Challenge | undefined;
  /** Asked for by the person. */
  readonly scopes?: readonly string[] | undefined;
  /** Where the document stands that describes us as a client. */
  readonly metadataUrl?: string | undefined;
  /** Ends the sign-in: its reason is what is thrown. */
  readonly signal: AbortSignal;
}

/** Where one signs in, and for what. */
interface SignInSubject {
  readonly issuer: string;
  readonly scopes: readonly string[];
}

export interface SignInOptions extends FlowOptions {
  readonly callbackPort?: number | undefined;
  /** Told the address, and what it is for; opens a browser or prints it. */
  show(url: string, what: SignInSubject): void | Promise<void>;
  /** A callback URL that somebody pasted; never resolves when nobody does. Asked again after one that was of no use. */
  readonly pasted?: ((signal: AbortSignal) => Promise<string>) | undefined;
  /** Told about a pasted text that was of no use. */
  readonly reportError?: ((text: string) => void) | undefined;
}

/**
 * Signs in with a browser: the callback comes to this machine, or is pasted. Gives what was stored. Throws what the
 * authorization server had against it, and a plain error when there is nothing to sign in to.
 */
export async function signIn(options: SignInOptions): Promise<AuthRecord> {
  const { url, settings, metadataUrl, fetch, callbackPort } = options;
  const { discovery, scope, record } = await prepare(options);
  const target = chooseCallbackTarget({ url, settings, metadataUrl, callbackPort, server: discovery.server, record });
  const listener = await openCallbackListener(target);
  try {
    const { redirectUri } = listener;
    const stored = storedClient(record, scope);
    const client = await obtainClient({ discovery, settings, stored, redirectUri, scope, metadataUrl, fetch });
    // Before the browser is sent away: what comes back is measured against this.
    saveClient(options, { discovery, client, redirectUri, scope, record });
    const pending = await beginAuthorization({ discovery, client, redirectUri, scope, configuredUrl: url });
    const subject = { issuer: discovery.server.issuer, scopes: scope?.split(' ') ?? [] };
    const show = (address: string) => options.show(address, subject);
    const callback = await waitForCallback({ ...options, show }, listener, pending);
    const tokens = await finishAuthorization({ discovery, client, pending, callback, fetch, now: options.now });
    return await saveTokens(options, { discovery, client, redirectUri, tokens, scope, record });
  } catch (error) {
    forgetUnusableClient(options, error);
    throw error;
  } finally {
    listener.close();
  }
}

export interface DeviceSignInOptions extends FlowOptions {
  /** Told the code, and where it is to be typed. */
  showCode(code: DeviceCode): void | Promise<void>;
}

/** Signs in with a code that is typed into a browser on any machine. Throws as `signIn` does. */
export async function signInByDevice(options: DeviceSignInOptions): Promise<AuthRecord> {
  const { settings, metadataUrl, fetch, now, signal } = options;
  const { discovery, scope, record } = await prepare(options);
  const stored = storedClient(record, scope);
  const redirectUri = record?.redirectUri ?? UNUSED_REDIRECT;
  const client = await obtainClient({ discovery, settings, stored, redirectUri, scope, metadataUrl, fetch });
  saveClient(options, { discovery, client, redirectUri, scope, record });
  const common = { discovery, client, fetch, now };
  const code = await requestDeviceCode({ ...common, scope, configuredUrl: options.url, signal });
  await options.showCode(code);
  const tokens = await pollForTokens({ ...common, code }, signal).catch((error: unknown) => {
    // Why it was given up says more than that it was.
    throw isAppError(signal.reason) ? signal.reason : error;
  });
  return saveTokens(options, { discovery, client, redirectUri, tokens, scope, record });
}

/** A registration has to name one. */
const UNUSED_REDIRECT = 'http://127.0.0.1/callback';
const NO_CHALLENGE: Challenge = { resourceMetadata: undefined, scope: undefined, error: undefined };

interface Prepared {
  readonly discovery: Discovery;
  readonly scope: string | undefined;
  readonly record: AuthRecord | undefined;
}

async function prepare(options: FlowOptions): Promise<Prepared> {
  const { serverId, url, settings, store, fetch, scopes: requested, challenge = NO_CHALLENGE } = options;
  const record = store.read(serverId, url);
  const discovery = await discover(url, { challenge, settings, fetch });
  if (discovery === undefined) throw noSignInOffered(options);
  // More is wanted than there is: what there is must not get lost by it.
  const granted = challenge.error === 'insufficient_scope' ? record?.scope : undefined;
  return { discovery, record, scope: chooseScope({ challenge, settings, discovery, granted, requested }) };
}

/** An authorization server that has forgotten us shows that to the browser alone: nobody comes back. */
function forgetUnusableClient({ serverId, url, store, now }: LoginContext, error: unknown): void {
  if (!isAppError(error) || error.code !== 'TIMED_OUT') return;
  store.update(serverId, (stored) => {
    const isLogin = stored?.url !== url || stored.accessToken !== undefined || stored.refreshToken !== undefined;
    return isLogin ? stored : withoutClient(stored, now());
  });
}
