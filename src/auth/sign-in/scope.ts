import type { OAuthSettings } from '../../config/server-entry.ts';
import type { Challenge } from '../discovery/challenge.ts';
import type { Discovery } from '../discovery/discovery.ts';

export interface ScopeOptions {
  readonly challenge: Challenge;
  readonly settings: OAuthSettings | undefined;
  readonly discovery: Discovery;
  /** Scope granted so far. A sign-in may add to it, but never reduces it. */
  readonly granted?: string | undefined;
  /** Scopes requested by the user. */
  readonly requested?: readonly string[] | undefined;
}

/**
 * Chooses the scope to request: the user's and the config's, else the challenge's, else everything that the server
 * supports, else none. After `insufficient_scope`, the missing and the granted scopes are always included.
 * `offline_access` is added if the authorization server lists it, so that the tokens can be refreshed.
 */
export function chooseScope({
  challenge,
  settings,
  discovery,
  granted,
  requested = [],
}: ScopeOptions): string | undefined {
  const own = [...requested, ...splitScope(settings?.scope)];
  const wanted =
    [own, splitScope(challenge.scope), discovery.scopesSupported ?? []].find((scopes) => scopes.length > 0) ?? [];
  const missing = challenge.error === 'insufficient_scope' ? splitScope(challenge.scope) : [];
  const all = new Set([...splitScope(granted), ...wanted, ...missing]);
  // `offline_access` alone would replace the default scope that the server grants when none is requested.
  if (all.size === 0) return undefined;
  if (discovery.server.scopes_supported?.includes('offline_access') === true) all.add('offline_access');
  return [...all].join(' ');
}

function splitScope(scope: string | undefined): readonly string[] {
  return (scope ?? '').split(/\s+/).filter((word) => word !== '');
}
