import { AppError } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { isObject } from '../../wire/messages.ts';
import type { Source } from '../files/sources.ts';
import { formatLocation } from '../problem.ts';
import { type ChangedFile, updateConfigFile, verifyChange } from './config-document.ts';
import { removeMember, setMember } from './edit-member.ts';
import { changeExisting, notAnEntry, pathTo, refuseDuplicate, type WriteOptions } from './existing-entry.ts';
import { removeVacantConfig } from './vacant-config.ts';

/** An entry as written in the file, with the keys of our own config. */
export type WrittenEntry = Readonly<Record<string, unknown>>;

/** Writes an entry to one of our own files. Throws USAGE if the id exists and must not be replaced. */
export function writeEntry(
  source: Source,
  id: string,
  {
    entry,
    mayReplace,
    isDryRun = false,
  }: WriteOptions & { readonly entry: WrittenEntry; readonly mayReplace: boolean },
): ChangedFile & { readonly isReplaced: boolean } {
  let isReplaced = false;
  const changed = updateConfigFile(
    source,
    (document) => {
      refuseDuplicate(document, source, id);
      isReplaced = Object.hasOwn(document.servers, id);
      if (isReplaced && !mayReplace) throw entryExists(source, id);
      return verifyChange(setMember(document.text, pathTo(id), entry), { before: document, id, entry });
    },
    { isDryRun },
  );
  return { ...changed, isReplaced };
}

/** Writes several entries at once: all of them, or none. Throws USAGE if an id exists and must not be replaced. */
export function writeEntries(
  source: Source,
  entries: ReadonlyMap<string, WrittenEntry>,
  { mayReplace, isDryRun = false }: WriteOptions & { readonly mayReplace: boolean },
): ChangedFile {
  return updateConfigFile(
    source,
    (document) => {
      let before = document;
      for (const [id, entry] of entries) {
        refuseDuplicate(before, source, id);
        if (!mayReplace && Object.hasOwn(before.servers, id)) throw entryExists(source, id);
        const text = verifyChange(setMember(before.text, pathTo(id), entry), { before, id, entry });
        before = { ...before, text, servers: { ...before.servers, [id]: entry } };
      }
      return before.text;
    },
    { isDryRun },
  );
}

/**
 * Removes an entry from one of our own files; undefined if the entry does not exist. Also removes a project config that
 * has nothing else.
 */
export function removeEntry(source: Source, id: string, options?: WriteOptions): ChangedFile | undefined {
  const changed = changeExisting(source, id, options, (document) =>
    verifyChange(removeMember(document.text, pathTo(id)), { before: document, id, entry: undefined }),
  );
  if (changed?.isChanged === true && options?.isDryRun !== true) removeVacantConfig(source);
  return changed;
}

/**
 * Enables or disables an entry of one of our own files, and changes nothing else; undefined if the entry does not
 * exist.
 */
export function setEnabled(
  source: Source,
  id: string,
  { isEnabled, ...options }: WriteOptions & { readonly isEnabled: boolean },
): ChangedFile | undefined {
  return changeExisting(source, id, options, (document) => {
    const entry = document.servers[id];
    if (!isObject(entry)) throw notAnEntry(source, id);
    const isOn = entry['enabled'] !== false && entry['disabled'] !== true;
    if (isOn === isEnabled) return document.text;
    // Either key may disable the entry, so `disabled` must not contradict `enabled`.
    const { disabled, ...rest } = entry;
    const expected = { ...(isEnabled && disabled === true ? rest : entry), enabled: isEnabled };
    const plain =
      isEnabled && disabled === true ? removeMember(document.text, [...pathTo(id), 'disabled']) : document.text;
    const text = setMember(plain, [...pathTo(id), 'enabled'], isEnabled);
    return verifyChange(text, { before: document, id, entry: expected });
  });
}

function entryExists({ file, layer }: Source, id: string): AppError {
  return new AppError(
    'USAGE',
    `${quoteIfNeeded(id)} is already in the ${layer} config (${formatLocation(file, 0)}). Run it again with --replace to overwrite that entry.`,
    { data: { server: id, file } },
  );
}
