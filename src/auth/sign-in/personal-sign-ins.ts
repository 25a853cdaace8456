import { isSecretName } from '../../base/redaction/redact.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { shareSignInCommand } from '../../config/next-command.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { AuthStore } from '../store/auth-store.ts';

/** Which servers act as this user, or with the keys of this user, when other people call them. */
export interface PersonalSignIns {
  /** Servers with a personal sign-in whose entry permits sharing. */
  readonly shared: readonly ServerEntry[];
  /** Servers with a personal sign-in that only this user may use. */
  readonly withheld: readonly ServerEntry[];
  /**
   * Servers that get a key from their entry. It may be personal too, but the author of the entry chose it for that
   * server.
   */
  readonly keyed: readonly ServerEntry[];
}

/**
 * Finds the servers with a personal sign-in. Call it again when the config or the stored sign-ins change: a server may
 * get its sign-in later. Throws if the stored sign-ins cannot be read.
 */
export function findPersonalSignIns(
  entries: readonly ServerEntry[],
  store: Pick<AuthStore, 'signedInServers'>,
): PersonalSignIns {
  const signedIn = new Set(store.signedInServers());
  const personal = entries.filter((entry) => hasPersonalSignIn(entry, signedIn));
  return {
    shared: personal.filter(({ sharesSignIn }) => sharesSignIn),
    withheld: personal.filter(({ sharesSignIn }) => !sharesSignIn),
    keyed: entries.filter(hasKey),
  };
}

/** Returns what to display when a server listens where others can connect. One sentence per line. */
export function describePersonalSignIns({ shared, withheld, keyed }: PersonalSignIns): readonly string[] {
  return [
    ...(shared.length === 0 ? [] : [`Everyone with a token acts as you on: ${listOf(shared)}`]),
    ...(keyed.length === 0 ? [] : [`Everyone with a token uses the keys of your config on: ${listOf(keyed)}`]),
    ...withheldLine(withheld),
  ];
}

/** Returns whether the entry has its own `Authorization` header. Such an entry never signs in. */
function hasOwnAuthorization(transport: ServerEntry['transport']): boolean {
  if (transport.kind !== 'http') return false;
  const { headers, headerEnv, bearerTokenEnv } = transport;
  const names = [...Object.keys(headers), ...Object.keys(headerEnv)];
  return bearerTokenEnv !== undefined || names.some((name) => /^authorization$/i.test(name));
}

function hasPersonalSignIn({ id, transport }: ServerEntry, signedIn: ReadonlySet<string>): boolean {
  if (transport.kind !== 'http' || hasOwnAuthorization(transport)) return false;
  return transport.oauth !== undefined || signedIn.has(id);
}

function hasKey({ transport }: ServerEntry): boolean {
  if (hasOwnAuthorization(transport)) return true;
  const names =
    transport.kind === 'http'
      ? [...Object.keys(transport.headers), ...Object.keys(transport.headerEnv)]
      : [...Object.keys(transport.env), ...transport.envVars];
  return names.some(isSecretName);
}

function withheldLine(withheld: readonly ServerEntry[]): readonly string[] {
  const [first] = withheld;
  if (first === undefined) return [];
  const command = shareSignInCommand(first);
  const how = command ?? `add "shareSignIn": true to its entry in ${escapeInvisible(first.origin.file)}`;
  return [`Left out, because they use your own sign-in: ${listOf(withheld)}. To share one: ${how}`];
}

function listOf(entries: readonly ServerEntry[]): string {
  return entries.map(({ id }) => quoteIfNeeded(id)).join(', ');
}
