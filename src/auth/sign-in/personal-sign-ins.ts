import { programName } from '../../base/program-name.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { AuthStore } from '../store/auth-store.ts';

/** The servers to which Switchboard signs in as this user, so that whoever calls them acts as this user. */
export interface PersonalSignIns {
  /** Ids of those whose entry permits sharing. */
  readonly shared: readonly string[];
  /** Ids of those that only this user may use. */
  readonly withheld: readonly string[];
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
    shared: personal.filter(({ sharesSignIn }) => sharesSignIn).map(({ id }) => id),
    withheld: personal.filter(({ sharesSignIn }) => !sharesSignIn).map(({ id }) => id),
  };
}

/** Returns what to display when a server listens where others can connect. One sentence per line. */
export function describePersonalSignIns({ shared, withheld }: PersonalSignIns): readonly string[] {
  const [first = ''] = withheld;
  const command = `${programName()} set ${quoteForShell(first)} shareSignIn=true`;
  return [
    ...(shared.length === 0 ? [] : [`Everyone with a token acts as you on: ${listOf(shared)}`]),
    ...(withheld.length === 0
      ? []
      : [`Left out, because they use your own sign-in: ${listOf(withheld)}. To share one: ${command}`]),
  ];
}

/** An entry with its own `Authorization` header never signs in. */
function hasPersonalSignIn({ id, transport }: ServerEntry, signedIn: ReadonlySet<string>): boolean {
  if (transport.kind !== 'http') return false;
  const { headers, headerEnv, bearerTokenEnv, oauth } = transport;
  const names = [...Object.keys(headers), ...Object.keys(headerEnv)];
  const hasOwnAuthorization = bearerTokenEnv !== undefined || names.some((name) => /^authorization$/i.test(name));
  return !hasOwnAuthorization && (oauth !== undefined || signedIn.has(id));
}

function listOf(ids: readonly string[]): string {
  return ids.map(quoteIfNeeded).join(', ');
}
