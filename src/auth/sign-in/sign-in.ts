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
  /** Challenge of the rejected request. */
  readonly challenge?: Challenge | undefined;
  /** Scopes requested by the user. */
  readonly scopes?: readonly string[] | undefined;
  /** URL of our client metadata document. */
  readonly metadataUrl?: string | undefined;
  /** Aborts the sign-in, which then throws the signal's reason. */
  readonly signal: AbortSignal;
}

/** The authorization server and the scopes of a sign-in. */
interface SignInSubject {
  readonly issuer: string;
  readonly scopes: readonly string[];
}

export interface SignInOptions extends FlowOptions {
  readonly callbackPort?: number | undefined;
  /** Shows the URL and its purpose: opens a browser or prints the URL. */
  show(url: string, what: SignInSubject): void | Promise<void>;
  /** Resolves with a callback URL that the user pasted, or never. Called again after an invalid one. */
  readonly pasted?: ((signal: AbortSignal) => Promise<string>) | undefined;
  /** Called for an invalid pasted text. */
  readonly reportError?: ((text: string) => void) | undefined;
}

/**
 * Signs in with a browser: the callback arrives on this machine or is pasted. Returns the stored record. Throws the
 * error of the authorization server, or an `AppError` if the server offers no sign-in.
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
    // Stored before the browser opens, because the callback is checked against it.
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
  /** Shows the code and the URL at which to enter it. */
  showCode(code: DeviceCode): void | Promise<void>;
}

/** Signs in with a code that the user enters in a browser on any machine. Throws like `signIn`. */
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
    // The reason of the abort says more than the abort itself.
    throw isAppError(signal.reason) ? signal.reason : error;
  });
  return saveTokens(options, { discovery, client, redirectUri, tokens, scope, record });
}

/** A registration requires a redirect URI. */
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
  // When more scopes are needed, keep those already granted.
  const granted = challenge.error === 'insufficient_scope' ? record?.scope : undefined;
  return { discovery, record, scope: chooseScope({ challenge, settings, discovery, granted, requested }) };
}

/**
 * Deletes the client after a timeout. An authorization server that no longer knows it says so only in the browser, and
 * no callback arrives.
 */
function forgetUnusableClient({ serverId, url, store, now }: LoginContext, error: unknown): void {
  if (!isAppError(error) || error.code !== 'TIMED_OUT') return;
  store.update(serverId, (stored) => {
    const isLogin = stored?.url !== url || stored.accessToken !== undefined || stored.refreshToken !== undefined;
    return isLogin ? stored : withoutClient(stored, now());
  });
}
