import type { OAuthSettings } from '../../config/server-entry.ts';
import type { Challenge } from '../discovery/challenge.ts';
import type { Discovery } from '../discovery/discovery.ts';

export interface ScopeOptions {
  readonly challenge: Challenge;
  readonly settings: OAuthSettings | undefined;
  readonly discovery: Discovery;
  /** What the sign-in so far was granted: more is asked for, never less. */
  readonly granted?: string | undefined;
  /** What the person asked for. */
  readonly requested?: readonly string[] | undefined;
}

/**
 * The scope to ask for: what the person and the config name, else what the challenge names, else all that the server
 * supports, else none. After `insufficient_scope` what was missing and what there was come along in any case.
 * `offline_access` is added where the authorization server lists it, so that the sign-in can be renewed.
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
  // Alone it would take the place of what the server grants when nothing is asked for.
  if (all.size === 0) return undefined;
  if (discovery.server.scopes_supported?.includes('offline_access') === true) all.add('offline_access');
  return [...all].join(' ');
}

function splitScope(scope: string | undefined): readonly string[] {
  return (scope ?? '').split(/\s+/).filter((word) => word !== '');
}
