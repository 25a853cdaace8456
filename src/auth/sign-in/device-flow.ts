import { setTimeout as delay } from 'node:timers/promises';
import * as oauth from 'oauth4webapi';
import { AppError, isAppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { checkUrl } from '../../net/url-policy.ts';
import type { Discovery } from '../discovery/discovery.ts';
import type { OAuthClient } from '../oauth/client-registration.ts';
import { readOAuthError, toOAuthError } from '../oauth/oauth-error.ts';
import { clientAuth, requestOptions, tokenHost } from '../oauth/request-options.ts';
import { type Tokens, toTokens } from '../oauth/token-requests.ts';

/** The codes and URLs for a sign-in on another device. `deviceCode` is a secret and must never be shown. */
export interface DeviceCode {
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete: string | undefined;
  readonly intervalMs: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly deviceCode: string;
  readonly scope: string | undefined;
}

export interface DeviceOptions {
  readonly discovery: Discovery;
  readonly client: OAuthClient;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
}

/** Requests a device code (RFC 8628). */
export async function requestDeviceCode(
  options: DeviceOptions & {
    readonly scope: string | undefined;
    readonly configuredUrl: string;
    readonly signal?: AbortSignal;
  },
): Promise<DeviceCode> {
  const { discovery, client, scope, configuredUrl, fetch, now } = options;
  const { server, resource } = discovery;
  const host = tokenHost(server);
  if (server.device_authorization_endpoint === undefined)
    throw new AppError('USAGE', `${host} does not support sign-in by device code: sign in without --device.`);
  const identity = { client_id: client.clientId };
  const parameters = { resource, ...(scope === undefined ? {} : { scope }) };
  const sent = { ...requestOptions(fetch, options.signal) };
  try {
    const response = await oauth.deviceAuthorizationRequest(server, identity, clientAuth(client), parameters, sent);
    const answer = await oauth.processDeviceAuthorizationResponse(server, identity, response);
    const complete = answer.verification_uri_complete;
    return {
      userCode: oneLine(answer.user_code, MAX_CODE),
      verificationUri: checkUrl(answer.verification_uri, configuredUrl).href,
      verificationUriComplete: complete === undefined ? undefined : checkUrl(complete, configuredUrl).href,
      intervalMs: Math.min(Math.max((answer.interval ?? DEFAULT_INTERVAL_S) * 1000, MIN_INTERVAL_MS), MAX_INTERVAL_MS),
      expiresAt: now() + answer.expires_in * 1000,
      deviceCode: answer.device_code,
      scope,
    };
  } catch (error) {
    const secrets = [client.clientSecret];
    throw toOAuthError(error, { doing: 'to start a sign-in by device code', host, secrets });
  }
}

const MAX_CODE = 100;
const DEFAULT_INTERVAL_S = 5;
/** Limits for the server's interval: no flood of requests, and no wait beyond the lifetime of the code. */
const MIN_INTERVAL_MS = 1000;
const MAX_INTERVAL_MS = 60_000;
const SLOW_DOWN_MS = 5000;

/**
 * Polls until the user has agreed or refused, or the code has expired. Retries if the server is unavailable for a
 * while.
 */
export async function pollForTokens(
  options: DeviceOptions & { readonly code: DeviceCode },
  signal: AbortSignal,
): Promise<Tokens> {
  const { code, now, discovery } = options;
  const host = tokenHost(discovery.server);
  let { intervalMs } = code;
  while (now() < code.expiresAt) {
    await wait(Math.min(intervalMs, code.expiresAt - now()), signal);
    const outcome = await requestTokens(options, host, signal);
    if (typeof outcome === 'object') return outcome;
    if (outcome === 'slow_down') intervalMs = Math.min(intervalMs + SLOW_DOWN_MS, MAX_INTERVAL_MS);
  }
  throw expired(host);
}

async function requestTokens(
  { discovery, client, fetch, now, code }: DeviceOptions & { readonly code: DeviceCode },
  host: string,
  signal: AbortSignal,
): Promise<Tokens | 'pending' | 'slow_down'> {
  const { server, resource } = discovery;
  const identity = { client_id: client.clientId };
  const sent = { ...requestOptions(fetch, signal), additionalParameters: { resource } };
  try {
    const response = await oauth.deviceCodeGrantRequest(server, identity, clientAuth(client), code.deviceCode, sent);
    const answer = await oauth.processDeviceCodeResponse(server, identity, response);
    return toTokens(answer, { now, scope: code.scope, host });
  } catch (error) {
    const refusal = readOAuthError(error)?.error;
    if (refusal === 'authorization_pending') return 'pending';
    if (refusal === 'slow_down') return 'slow_down';
    if (refusal === 'expired_token') throw expired(host);
    if (refusal === 'access_denied') throw new AppError('DENIED', `${host} did not sign you in: access_denied.`);
    if (isAppError(error) && ['CONNECTION_CLOSED', 'TIMED_OUT'].includes(error.code)) return 'slow_down';
    const secrets = [code.deviceCode, client.clientSecret];
    throw toOAuthError(error, { doing: 'to complete the sign-in by device code', host, secrets });
  }
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (cause) {
    throw new AppError('CANCELLED', 'The sign-in by device code was cancelled.', { cause });
  }
}

function expired(host: string): AppError {
  return new AppError(
    'TIMED_OUT',
    `The device code of ${host} expired before the sign-in was approved. Sign in again.`,
  );
}
