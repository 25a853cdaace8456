import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { formatOAuthError } from '../oauth/oauth-error.ts';
import type { PendingAuthorization } from './authorization.ts';

export interface AuthorizationResponse {
  readonly discovery: Discovery;
  readonly pending: PendingAuthorization;
  readonly callback: URL;
}

/**
 * Returns the parameters of a callback after checking that it belongs to this sign-in: sent to our address, with our
 * `state`, by the requested authorization server (`iss`, RFC 9207, compared character by character), with a code and no
 * error.
 */
export function checkAuthorizationResponse({ discovery, pending, callback }: AuthorizationResponse): URLSearchParams {
  const { server, isConfigured } = discovery;
  const parameters = new URLSearchParams(callback.search);
  for (const name of ['state', 'iss', 'code', 'error'])
    if (parameters.getAll(name).length > 1) throw foreignCallbackError(`it has more than one ${name} parameter`);
  if (`${callback.origin}${callback.pathname}` !== withoutQuery(pending.redirectUri))
    throw foreignCallbackError('its URL is not the redirect URI of this sign-in');
  if (parameters.get('state') !== pending.state)
    throw foreignCallbackError('its state does not match the one that was sent');
  // An issuer derived from the config cannot be compared. The checks of `state` and the address remain.
  if (isConfigured) parameters.delete('iss');
  else checkIssuer(parameters.get('iss'), server);
  const error = parameters.get('error');
  if (error !== null) throw refusedError(error, parameters.get('error_description'), hostOf(discovery));
  if ((parameters.get('code') ?? '') === '')
    throw new AppError(
      'BAD_ANSWER',
      `${hostOf(discovery)} redirected you back with neither a code nor an error. Sign in again.`,
    );
  return parameters;
}

function checkIssuer(given: string | null, server: Discovery['server']): void {
  if (given === null) {
    if (server.authorization_response_iss_parameter_supported !== true) return;
    throw foreignCallbackError('it has no iss parameter, which this authorization server always sends');
  }
  if (given !== server.issuer) throw foreignCallbackError('its iss parameter names another authorization server');
}

function withoutQuery(redirectUri: string): string {
  const { origin, pathname } = new URL(redirectUri);
  return `${origin}${pathname}`;
}

function hostOf({ server }: Discovery): string {
  return new URL(server.authorization_endpoint ?? server.issuer).host;
}

/** Builds the error without any content of the callback, which may come from an attacker. */
function foreignCallbackError(why: string): AppError {
  return new AppError('DENIED', `Rejected the browser callback: ${why}. Start the sign-in again.`, {
    data: { foreignCallback: true },
  });
}

function refusedError(error: string, description: string | null, host: string): AppError {
  const shown = oneLine(error, 60);
  const text = formatOAuthError({
    error: shown,
    description: description === null ? undefined : oneLine(description, 200),
  });
  const code = error === 'access_denied' ? 'DENIED' : 'SIGN_IN_NEEDED';
  return new AppError(code, `${host} did not sign you in: ${text}.`, { data: { oauthError: shown } });
}
