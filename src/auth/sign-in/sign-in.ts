import { isAppError } from '../../base/errors.ts';
import type { SignInContext } from '../credentials/token-refresh.ts';
import { type Challenge, NO_CHALLENGE } from '../discovery/challenge.ts';
import { type Discovery, discover } from '../discovery/discovery.ts';
import { type OAuthClient, obtainClient } from '../oauth/client-registration.ts';
import { type AuthRecord, withoutClient } from '../store/auth-record.ts';
import { beginAuthorization, finishAuthorization } from './authorization.ts';
import { openCallbackListener } from './callback-listener.ts';
import { chooseCallbackTarget } from './callback-target.ts';
import { type DeviceCode, pollForTokens, requestDeviceCode } from './device-flow.ts';
import { chooseScope } from './scope.ts';
import { noSignInOffered } from './sign-in-errors.ts';
import { saveClient, saveTokens, storedClient } from './sign-in-record.ts';
import { type CallbackSources, waitForCallback } from './wait-for-callback.ts';

interface FlowOptions extends SignInContext {
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

export interface SignInOptions extends FlowOptions, Pick<CallbackSources, 'pasted' | 'reportError'> {
  readonly callbackPort?: number | undefined;
  /** Shows the URL and its purpose: opens a browser or prints the URL. */
  show(url: string, what: SignInSubject): void | Promise<void>;
}

/**
 * Signs in with a browser: the callback arrives on this machine or is pasted. Returns the stored record. Throws the
 * error of the authorization server, or an `AppError` if the server offers no sign-in.
 */
export async function signIn(options: SignInOptions): Promise<AuthRecord> {
  const { url, settings, metadataUrl, fetch, callbackPort } = options;
  const prepared = await prepare(options);
  const { server } = prepared.discovery;
  const target = chooseCallbackTarget({ url, settings, metadataUrl, callbackPort, server, record: prepared.record });
  const listener = await openCallbackListener(target);
  try {
    // The client is stored before the browser opens, because the callback is checked against it.
    const flow = await registerFlow(options, prepared, listener.redirectUri);
    const pending = await beginAuthorization({ ...flow, configuredUrl: url });
    const subject = { issuer: server.issuer, scopes: flow.scope?.split(' ') ?? [] };
    const show = (address: string) => options.show(address, subject);
    const callback = await waitForCallback({ ...options, show }, listener, pending);
    const tokens = await finishAuthorization({ ...flow, pending, callback, fetch, now: options.now });
    return await saveTokens(options, { ...flow, tokens });
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
  const { fetch, now, signal } = options;
  const prepared = await prepare(options);
  const flow = await registerFlow(options, prepared, prepared.record?.redirectUri ?? UNUSED_REDIRECT);
  const code = await requestDeviceCode({ ...flow, fetch, now, configuredUrl: options.url, signal });
  await options.showCode(code);
  const tokens = await pollForTokens({ ...flow, fetch, now, code }, signal).catch((error: unknown) => {
    // The reason of the abort says more than the abort itself.
    throw isAppError(signal.reason) ? signal.reason : error;
  });
  return saveTokens(options, { ...flow, tokens });
}

/** A registration requires a redirect URI. */
const UNUSED_REDIRECT = 'http://127.0.0.1/callback';

interface PreparedSignIn {
  readonly discovery: Discovery;
  readonly scope: string | undefined;
  readonly record: AuthRecord | undefined;
}

async function prepare(options: FlowOptions): Promise<PreparedSignIn> {
  const { serverId, url, settings, store, fetch, scopes: requested, challenge = NO_CHALLENGE } = options;
  const record = store.read(serverId, url);
  const discovery = await discover(url, { challenge, settings, fetch });
  if (discovery === undefined) throw noSignInOffered(options);
  // When more scopes are needed, keep those already granted.
  const granted = challenge.error === 'insufficient_scope' ? record?.scope : undefined;
  return { discovery, record, scope: chooseScope({ challenge, settings, discovery, granted, requested }) };
}

/** A sign-in with its client, which is stored. */
interface SignInFlow extends PreparedSignIn {
  readonly client: OAuthClient;
  readonly redirectUri: string;
}

async function registerFlow(options: FlowOptions, prepared: PreparedSignIn, redirectUri: string): Promise<SignInFlow> {
  const { settings, metadataUrl, fetch } = options;
  const { discovery, scope, record } = prepared;
  const stored = storedClient(record, scope);
  const client = await obtainClient({ discovery, settings, stored, redirectUri, scope, metadataUrl, fetch });
  const flow = { ...prepared, client, redirectUri };
  saveClient(options, flow);
  return flow;
}

/**
 * Deletes the client after a timeout. An authorization server that no longer knows it says so only in the browser, and
 * no callback arrives.
 */
function forgetUnusableClient({ serverId, url, store, now }: SignInContext, error: unknown): void {
  if (!isAppError(error) || error.code !== 'TIMED_OUT') return;
  store.update(serverId, (stored) => {
    const isLogin = stored?.url !== url || stored.accessToken !== undefined || stored.refreshToken !== undefined;
    return isLogin ? stored : withoutClient(stored, now());
  });
}
