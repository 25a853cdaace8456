import { variablesOf } from '../config/variables-of.ts';
import type { ProfileName } from '../schema/profiles/profile.ts';
import type { Catalogs } from './catalogs.ts';
import type { Memory } from './memory.ts';
import type { PreparedList } from './prepared-list.ts';
import type { Roster } from './roster.ts';

/** Takes the list for the next start; it has still to add the files that decide what is configured. */
export type KeepList = (list: PreparedList, hello: unknown) => Promise<void>;

export interface PreparationOptions {
  readonly roster: Roster;
  readonly catalogs: Catalogs;
  readonly memory: Pick<Memory, 'fileOf'>;
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

export function createPreparation({ roster, catalogs, memory, profile, keep }: PreparationOptions): Preparation {
  let kept = '';
  let timer: NodeJS.Timeout | undefined;

  const prepare = async () => {
    timer = undefined;
    const { members } = roster;
    const files = members.map(memory.fileOf);
    // One that nobody knows would be missing from the list, and Codex, which asks for it once, would never see it.
    const isWhole = members.every(({ catalog }) => catalog.isKnown('tools'));
    if (!isWhole || files.includes(undefined)) return;
    const catalog = catalogs.of(profile());
    const result = catalog.page('tools', undefined);
    // The other pages of a list could not be given.
    if (result === kept || !catalog.isOnePage('tools')) return;
    kept = result;
    const variables = [...new Set(members.flatMap(({ entry }) => variablesOf(entry)))].sort();
    await keep({ result, files: files.filter((file) => file !== undefined), variables });
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
