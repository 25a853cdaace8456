import { variablesOf } from '../../config/entry/variable-uses.ts';
import type { LoadedConfig } from '../../config/server-entry.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import type { Catalogs } from '../catalog/profile-catalogs.ts';
import type { Member } from '../servers/gateway-server.ts';
import type { Roster } from '../servers/server-registry.ts';
import type { KeptFile, Memory } from './catalog-persistence.ts';
import type { PreparedList } from './list-snapshot.ts';
import type { StartFailures } from './start-failures.ts';

/** Keeps the list for the next start of a client that says this hello. */
export type KeepList = (list: PreparedList, hello: unknown) => Promise<void>;

export interface PreparationOptions {
  readonly roster: Roster;
  readonly catalogs: Catalogs;
  readonly memory: Pick<Memory, 'fileOf' | 'isUnresolved'>;
  readonly failures: Pick<StartFailures, 'fileOf'>;
  /** What a client is told of the servers, as it is now. */
  readonly instructions: () => string;
  /** As it is now. */
  readonly config: () => LoadedConfig;
  /** Of the client that said hello. */
  readonly profile: () => ProfileName;
  readonly keep: (list: PreparedList) => Promise<void>;
}

/** Keeps the list of tools for the next start, when it is whole and has been the same for a moment. */
export interface Preparation {
  /** The list may be another one now. */
  changed(): void;
  /** Resolves when it is kept. To be called after the catalogs were kept: the list is made from those. */
  close(): Promise<void>;
}

const KEEP_AFTER_MS = 1_000;

export function createPreparation(options: PreparationOptions): Preparation {
  const { roster, catalogs, config, profile, keep, instructions } = options;
  let timer: NodeJS.Timeout | undefined;

  const prepare = async () => {
    timer = undefined;
    const { members } = roster;
    // What a person trusts can change while nobody looks, and a broken file says nothing of what is running.
    if (members.some(({ entry }) => entry.pin) || config().files.some(({ state }) => state === 'broken')) return;
    const files = members.map((member) => filesBehind(member, options));
    // One that is not known, or only by what its predecessor offered, would be missing from the list, and Codex, which
    // asks for it once, would never see it.
    if (!files.every((some) => some !== undefined)) return;
    const catalog = catalogs.of(profile());
    const result = catalog.page('tools', undefined);
    // The other pages of a list could not be given.
    if (!catalog.isOnePage('tools')) return;
    const variables = [...new Set(members.flatMap(({ entry }) => variablesOf(entry)))].sort();
    try {
      await keep({ result, instructions: instructions(), files: [...config().files, ...files.flat()], variables });
    } catch {
      // The next start is a little slower, and nothing else: this is no reason to fail.
    }
  };

  return {
    changed() {
      clearTimeout(timer);
      timer = setTimeout(() => void prepare(), KEEP_AFTER_MS).unref();
    },
    async close() {
      clearTimeout(timer);
      if (timer !== undefined) await prepare();
    },
  };
}

/** The files that decide what a member adds to the list; undefined while the list would not be whole without it. */
function filesBehind(member: Member, { memory, failures }: PreparationOptions): readonly KeptFile[] | undefined {
  const known = memory.fileOf(member);
  const failure = failures.fileOf(member);
  if (known !== undefined) return failure === undefined ? [known] : [known, failure];
  if (member.catalog.hasList('tools')) return undefined;
  if (failure !== undefined) return [failure];
  // It cannot be started before a variable or the config is another one, and both are looked at.
  return memory.isUnresolved(member) ? [] : undefined;
}
