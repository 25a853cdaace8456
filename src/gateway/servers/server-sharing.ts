import { findPersonalSignIns, type PersonalSignIns } from '../../auth/sign-in/personal-sign-ins.ts';
import type { AuthStore } from '../../auth/store/auth-store.ts';
import { messageOf } from '../../base/errors.ts';
import type { LoadedConfig, ServerEntry } from '../../config/server-entry.ts';

/**
 * Decides which servers a gateway offers when other people can use it. A server with a personal sign-in is left out
 * unless its entry shares it. Its sign-in is never sent, even before the gateway has noticed the sign-in.
 */
export interface ServerSharing {
  /** Returns the config without the servers that are left out. */
  limit(config: LoadedConfig): LoadedConfig;
  /** Returns whether requests to a server may carry the sign-in of this user. */
  mayUseSignIn(serverId: string): boolean;
  /** Records that a server has asked for a sign-in. */
  signInNeeded(serverId: string): void;
}

export interface ServerSharingOptions {
  readonly store: Pick<AuthStore, 'signedInServers'>;
  /** Called with each decision. `problem` says why the sign-ins cannot be read. */
  readonly onDecision: (signIns: PersonalSignIns, problem: string | undefined) => void;
}

export function createServerSharing({ store, onDecision }: ServerSharingOptions): ServerSharing {
  let entries: ReadonlyMap<string, ServerEntry> = new Map();
  /** The servers that have asked for a sign-in, until their URL changes. */
  const asking = new Set<string>();

  const findWith = (signedIn: readonly string[]) => {
    const personal = [...entries.values()].filter((entry) => asking.has(identityOf(entry))).map(({ id }) => id);
    return findPersonalSignIns([...entries.values()], { signedInServers: () => [...signedIn, ...personal] });
  };

  const decide = (): PersonalSignIns => {
    try {
      const signIns = findWith(store.signedInServers());
      onDecision(signIns, undefined);
      return signIns;
    } catch (error) {
      // Any server may have one.
      const signIns = findWith([...entries.keys()]);
      onDecision(signIns, messageOf(error));
      return signIns;
    }
  };

  return {
    limit(config) {
      const usable = config.servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? verdict.entry : []));
      entries = new Map(usable.map((entry) => [entry.id, entry]));
      const withheld = new Set(decide().withheld.map(({ id }) => id));
      return { ...config, servers: config.servers.filter(({ id }) => !withheld.has(id)) };
    },
    mayUseSignIn: (serverId) => entries.get(serverId)?.sharesSignIn === true,
    signInNeeded(serverId) {
      const entry = entries.get(serverId);
      if (entry !== undefined) asking.add(identityOf(entry));
    },
  };
}

function identityOf({ id, transport }: ServerEntry): string {
  return JSON.stringify([id, transport.kind === 'http' ? transport.url : undefined]);
}
