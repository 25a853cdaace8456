import { AppError } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { isObject } from '../../wire/messages.ts';
import type { Source } from '../files/sources.ts';
import { formatLocation } from '../problem.ts';
import { type ChangedFile, verifyChange, verifyServers } from './config-document.ts';
import { removeMember, renameMember, setMember } from './edit-member.ts';
import { changeExisting, notAnEntry, pathTo, type WriteOptions } from './existing-entry.ts';
import type { WrittenEntry } from './write-entry.ts';

/** One change inside an entry. Without a value it removes the setting. */
export interface EntryEdit {
  /** `['env', 'TOKEN']` */
  readonly path: readonly string[];
  readonly value?: unknown;
}

export interface EditedEntry extends ChangedFile {
  readonly before: WrittenEntry;
  readonly after: WrittenEntry;
}

interface EditOptions extends WriteOptions {
  /** Returns the edits of the entry as it is now. Throws if they are not possible. */
  readonly plan: (entry: WrittenEntry) => readonly EntryEdit[];
  /** Throws if the changed entry is invalid. Nothing is written then. */
  readonly check: (entry: WrittenEntry) => void;
}

/**
 * Changes single settings of an entry of one of our own files, and keeps everything else as written; undefined if the
 * entry does not exist.
 */
export function editEntry(
  source: Source,
  id: string,
  { plan, check, ...options }: EditOptions,
): EditedEntry | undefined {
  let edited: Pick<EditedEntry, 'before' | 'after'> = { before: {}, after: {} };
  const changed = changeExisting(source, id, options, (document) => {
    const before = document.servers[id];
    if (!isObject(before)) throw notAnEntry(source, id);
    const edits = plan(before);
    const after = edits.reduce(applyEdit, before);
    edited = { before, after };
    check(after);
    const text = edits.reduce((current, edit) => editText(current, id, edit), document.text);
    return verifyChange(text, { before: document, id, entry: after });
  });
  return changed === undefined ? undefined : { ...changed, ...edited };
}

/** Renames an entry of one of our own files. It keeps its position and comments. Undefined if it does not exist. */
export function renameEntry(source: Source, id: string, to: string, options?: WriteOptions): ChangedFile | undefined {
  return changeExisting(source, id, options, (document) => {
    if (Object.hasOwn(document.servers, to)) throw nameTaken(source, to);
    const entries = Object.entries(document.servers).map(([name, entry]) => [name === id ? to : name, entry]);
    const text = renameMember(document.text, pathTo(id), to);
    return verifyServers(text, { id, expected: Object.fromEntries(entries) });
  });
}

function nameTaken({ file, layer }: Source, id: string): AppError {
  return new AppError(
    'USAGE',
    `${quoteIfNeeded(id)} is already in the ${layer} config (${formatLocation(file, 0)}). Choose another name.`,
    { data: { server: id, file } },
  );
}

/** `Object.fromEntries` also creates own properties for names such as `__proto__`. */
function applyEdit(entry: WrittenEntry, { path: [name = '', ...rest], value }: EntryEdit): WrittenEntry {
  const old = Object.hasOwn(entry, name) ? entry[name] : undefined;
  const isNested = rest.length > 0;
  if (isNested && value === undefined && !isObject(old)) return entry;
  const inner = isNested ? applyEdit(isObject(old) ? old : {}, { path: rest, value }) : value;
  const others = Object.entries(entry).filter(([key]) => key !== name);
  return Object.fromEntries(inner === undefined ? others : [...others, [name, inner]]);
}

function editText(text: string, id: string, { path, value }: EntryEdit): string {
  const whole = [...pathTo(id), ...path];
  return value === undefined ? removeMember(text, whole) : setMember(text, whole, value);
}
