import type { LoadedConfig } from '../config/server-entry.ts';
import { variablesOf } from '../config/variables-of.ts';
import type { ProfileName } from '../schema/profiles/profile.ts';
import type { Catalogs } from './catalogs.ts';
import type { Memory } from './memory.ts';
import type { PreparedList } from './prepared-list.ts';
import type { Roster } from './roster.ts';

/** Keeps the list for the next start of a client that says this hello. */
export type KeepList = (list: PreparedList, hello: unknown) => Promise<void>;

export interface PreparationOptions {
  readonly roster: Roster;
  readonly catalogs: Catalogs;
  readonly memory: Pick<Memory, 'fileOf'>;
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
  const { roster, catalogs, memory, config, profile, keep } = options;
  let timer: NodeJS.Timeout | undefined;

  const prepare = async () => {
    timer = undefined;
    const { members } = roster;
    // What a person trusts can change while nobody looks, and a broken file says nothing of what is running.
    if (members.some(({ entry }) => entry.pin) || config().files.some(({ state }) => state === 'broken')) return;
    const files = members.map(memory.fileOf).filter((file) => file !== undefined);
    // One that is not known, or only by what its predecessor offered, would be missing from the list, and Codex, which
    // asks for it once, would never see it.
    if (files.length < members.length) return;
    const catalog = catalogs.of(profile());
    const result = catalog.page('tools', undefined);
    // The other pages of a list could not be given.
    if (!catalog.isOnePage('tools')) return;
    const variables = [...new Set(members.flatMap(({ entry }) => variablesOf(entry)))].sort();
    try {
      await keep({ result, files: [...config().files, ...files], variables });
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
