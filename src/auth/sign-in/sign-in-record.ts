import type { SignInContext } from '../credentials/token-refresh.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { isSameIssuer } from '../discovery/issuer.ts';
import type { OAuthClient } from '../oauth/client-registration.ts';
import type { Tokens } from '../oauth/token-requests.ts';
import { type AuthRecord, emptyRecord, mergeScopes, withTokens } from '../store/auth-record.ts';

interface SignInFlow {
  readonly discovery: Discovery;
  readonly client: OAuthClient;
  readonly redirectUri: string;
  /** Requested scope. */
  readonly scope: string | undefined;
  readonly record: AuthRecord | undefined;
}

/** Returns the client of the last sign-in, with its issuer and redirect URI, if it may request this scope. */
export function storedClient(
  record: AuthRecord | undefined,
  scope: string | undefined,
): (OAuthClient & { readonly issuer: string; readonly redirectUri: string | undefined }) | undefined {
  if (record?.clientId === undefined || record.issuer === undefined || record.registration === 'static')
    return undefined;
  // Some servers restrict a client to the scope of its registration.
  const isWider = record.clientScope !== undefined && !isWithin(scope, record.clientScope);
  if (isWider) return undefined;
  const { clientId, clientSecret, authMethod = 'none', registration = 'dcr', issuer, redirectUri } = record;
  return { clientId, clientSecret, authMethod, registration, issuer, redirectUri };
}

/**
 * Stores the client before there are tokens. Tokens of another client or server are kept, with their own record, until
 * new ones arrive.
 */
export function saveClient({ serverId, url, store }: SignInContext, flow: SignInFlow): void {
  store.update(serverId, (stored) => {
    const next = {
      ...(stored?.url === url ? stored : emptyRecord(url)),
      ...recordFields(flow),
      rest: stored?.rest ?? {},
    };
    const isSame = stored?.url === url && isSameIssuer(stored.issuer, next.issuer) && stored.clientId === next.clientId;
    const hasTokens = stored?.accessToken !== undefined || stored?.refreshToken !== undefined;
    return hasTokens && !isSame ? stored : next;
  });
}

/** Stores the tokens exclusively, because a concurrent refresh would overwrite them. */
export async function saveTokens(
  { serverId, url, store, now }: SignInContext,
  flow: SignInFlow & { readonly tokens: Tokens },
): Promise<AuthRecord> {
  const { tokens, scope } = flow;
  const fresh: AuthRecord = { ...emptyRecord(url), ...recordFields(flow), scope };
  return store.runExclusive(serverId, async () => {
    let saved = fresh;
    store.update(serverId, (stored) => {
      saved = withTokens({ ...fresh, rest: stored?.rest ?? {} }, tokens, now());
      return saved;
    });
    return saved;
  });
}

function isWithin(scope: string | undefined, allowed: string): boolean {
  const allowedNames = new Set(allowed.split(' '));
  return (scope?.split(' ') ?? []).every((name) => allowedNames.has(name));
}

function recordFields({ discovery, client, redirectUri, scope, record }: SignInFlow) {
  const { clientId, clientSecret, authMethod, registration } = client;
  // A secret from the config is never copied.
  const secret = registration === 'static' ? undefined : clientSecret;
  const { server, resource } = discovery;
  const where = { issuer: server.issuer, resource, redirectUri, discovery: server };
  const clientScope =
    record?.clientId === clientId ? record.clientScope : mergeScopes(scope, discovery.scopesSupported?.join(' '));
  return { clientId, clientSecret: secret, authMethod, registration, clientScope, ...where };
}
