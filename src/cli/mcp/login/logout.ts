import { type SignOutResult, signOut } from '../../../auth/sign-in/sign-out.ts';
import type { AuthRecord } from '../../../auth/store/auth-record.ts';
import { type AuthStore, openAuthStore } from '../../../auth/store/auth-store.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { entryVariables } from '../../../config/resolve/entry-variables.ts';
import { resolveHttp } from '../../../config/resolve/resolve-http.ts';
import type { OAuthSettings } from '../../../config/server-entry.ts';
import { unknownServer } from '../../../config/unknown-server.ts';
import { createGuardedFetch } from '../../../net/guarded-fetch.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { loadEveryServer } from '../../load-every-server.ts';
import { forgetCatalogs } from './catalogs.ts';
import type { ConfigContext } from './find-entry.ts';
import { parseLogoutArguments } from './parse-arguments.ts';

/**
 * Runs `switchboard mcp logout <id>`: deletes the local sign-in and revokes its tokens, even if the server is no longer
 * configured.
 */
export async function mcpLogout(
  args: readonly string[],
  context: ConfigContext & Pick<CommandContext, 'output'>,
): Promise<void> {
  const { output } = context;
  const { id, mustRevoke, isJson } = parseLogoutArguments(args);
  const outcome = await logOut(id, { mustRevoke, context });
  if (isJson) return output.answer(escapeInvisible(JSON.stringify({ v: 1, server: id, ...outcome })));
  output.answer(signedOutText(id, outcome, mustRevoke));
}

/** Deletes the sign-in of a server and revokes its tokens. Throws for a server that is neither known nor configured. */
export async function logOut(
  id: string,
  { mustRevoke, context }: { readonly mustRevoke: boolean; readonly context: ConfigContext },
): Promise<SignOutResult> {
  const { env } = context;
  const store = openAuthStore(environmentOf(context));
  const record = findRecord(store, id);
  if (record === undefined) await assertConfigured(id, context);
  // Without a URL no authorization server can be notified.
  const url = record?.url ?? PLACEHOLDER_URL;
  const settings = await settingsOf(id, context);
  const fetch = createGuardedFetch({ configuredUrl: url, env });
  const isRevocable = mustRevoke && record?.url !== undefined;
  const outcome = await signOut({ serverId: id, url, settings, store, fetch, mustRevoke: isRevocable });
  await forgetCatalogs(id, context);
  return outcome;
}

const PLACEHOLDER_URL = 'https://invalid/';

/** Finds the record for any URL. */
function findRecord(store: AuthStore, id: string): AuthRecord | undefined {
  let found: AuthRecord | undefined;
  store.update(id, (record) => {
    found = record;
    return record;
  });
  return found;
}

/** Revocation may need the client secret of the config. An unusable config must not prevent the logout. */
async function settingsOf(id: string, context: ConfigContext): Promise<OAuthSettings | undefined> {
  try {
    const server = (await loadEveryServer(context)).servers.find((one) => one.id === id);
    if (server?.verdict.kind !== 'usable') return undefined;
    const { entry } = server.verdict;
    const environment = environmentOf(context);
    return resolveHttp(entry, entryVariables(entry, environment), environment).oauth;
  } catch {
    // Revocation continues without the settings.
    return undefined;
  }
}

export function signedOutText(
  id: string,
  { wasSignedIn, revoked, revokedTokens = [] }: SignOutResult,
  mustRevoke: boolean,
): string {
  const name = quoteIfNeeded(id);
  if (!wasSignedIn) return `You were not signed in to ${name}.`;
  if (revoked) return `Signed out of ${name}. Its tokens were revoked.`;
  if (!mustRevoke) return `Signed out of ${name}. Its tokens were not revoked.`;
  if (revokedTokens.includes('refresh_token'))
    return `Signed out of ${name}. Its refresh token was revoked; its access token could not be revoked and stays valid until it expires.`;
  if (revokedTokens.includes('access_token'))
    return `Signed out of ${name}. Its access token was revoked; its refresh token could not be revoked, and anyone with a copy can still use it.`;
  return `Signed out of ${name}. Its tokens could not be revoked at the authorization server and stay valid until they expire.`;
}

/** An unknown name is a typing error, and nothing is signed out. */
async function assertConfigured(id: string, context: ConfigContext): Promise<void> {
  const config = await loadEveryServer(context);
  if (!config.servers.some((server) => server.id === id)) throw unknownServer(id, config);
}
