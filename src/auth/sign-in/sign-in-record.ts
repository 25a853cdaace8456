import type { Login } from '../credentials/token-refresh.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { isSameIssuer } from '../discovery/issuer.ts';
import type { OAuthClient } from '../oauth/client-registration.ts';
import type { Tokens } from '../oauth/token-requests.ts';
import { type AuthRecord, emptyRecord, unionOf, withTokens } from '../store/auth-record.ts';

interface Flow {
  readonly discovery: Discovery;
  readonly client: OAuthClient;
  readonly redirectUri: string;
  /** What is asked for. */
  readonly scope: string | undefined;
  readonly record: AuthRecord | undefined;
}

/** The client of the last sign-in, with what it belongs to, if it may ask for this scope. */
export function storedClient(
  record: AuthRecord | undefined,
  scope: string | undefined,
): (OAuthClient & { readonly issuer: string; readonly redirectUri: string | undefined }) | undefined {
  if (record?.clientId === undefined || record.issuer === undefined || record.registration === 'static')
    return undefined;
  // Some servers hold a client to the scope that it was registered for.
  const isWider = record.clientScope !== undefined && !isWithin(scope, record.clientScope);
  if (isWider) return undefined;
  const { clientId, clientSecret, authMethod = 'none', registration = 'dcr', issuer, redirectUri } = record;
  return { clientId, clientSecret, authMethod, registration, issuer, redirectUri };
}

/** Before there are tokens. Those of a client or a server that is another stay with theirs until there are new ones. */
export function keepClient({ serverId, url, store }: Login, flow: Flow): void {
  store.update(serverId, (stored) => {
    const next = { ...(stored?.url === url ? stored : emptyRecord(url)), ...factsOf(flow), rest: stored?.rest ?? {} };
    const isSame = stored?.url === url && isSameIssuer(stored.issuer, next.issuer) && stored.clientId === next.clientId;
    const hasTokens = stored?.accessToken !== undefined || stored?.refreshToken !== undefined;
    return hasTokens && !isSame ? stored : next;
  });
}

/** Not while somebody renews what is there: they would write over it. */
export async function keepTokens(
  { serverId, url, store, now }: Login,
  flow: Flow & { readonly tokens: Tokens },
): Promise<AuthRecord> {
  const { tokens, scope } = flow;
  const fresh: AuthRecord = { ...emptyRecord(url), ...factsOf(flow), scope };
  return store.exclusively(serverId, async () => {
    let kept = fresh;
    store.update(serverId, (stored) => {
      kept = withTokens({ ...fresh, rest: stored?.rest ?? {} }, tokens, now());
      return kept;
    });
    return kept;
  });
}

function isWithin(scope: string | undefined, allowed: string): boolean {
  const words = new Set(allowed.split(' '));
  return (scope?.split(' ') ?? []).every((word) => words.has(word));
}

function factsOf({ discovery, client, redirectUri, scope, record }: Flow) {
  const { clientId, clientSecret, authMethod, registration } = client;
  // A secret of the config stays there, and only there.
  const secret = registration === 'static' ? undefined : clientSecret;
  const { server, resource } = discovery;
  const where = { issuer: server.issuer, resource, redirectUri, discovery: server };
  const clientScope =
    record?.clientId === clientId ? record.clientScope : unionOf(scope, discovery.scopesSupported?.join(' '));
  return { clientId, clientSecret: secret, authMethod, registration, clientScope, ...where };
}
