import { chmodSync, rmSync, statSync } from 'node:fs';
import { sha256 } from '../../base/digest.ts';
import { withFileLock } from '../../base/files/file-lock.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { readConfigFile } from '../../config/files/config-file.ts';
import type { Environment } from '../../config/files/folders.ts';
import { readSmallFile } from '../../config/files/small-file.ts';
import { globalSource, type Source } from '../../config/files/sources.ts';
import { openSecretStore } from '../../config/secrets/secret-store.ts';
import { removeEntry } from '../../config/write/write-entry.ts';
import { isObject } from '../../wire/messages.ts';
import { openClientServers } from '../client-servers.ts';
import type { ConfigChange, SetupJournal } from './journal.ts';

/** What an undo did with the entries or secrets that setup had added. */
export interface Undone {
  readonly removed: readonly string[];
  readonly kept: readonly Kept[];
}

export interface Kept {
  readonly name: string;
  /** `changed`: it is no longer what setup added. `needed`: a server that stays uses it. */
  readonly reason: 'changed' | 'needed';
}

/**
 * Removes the imported entries from our config. If nothing else has changed the file, it is as before, byte for byte;
 * otherwise every later change stays.
 */
export function undoConfig(change: ConfigChange, environment: Environment): Undone {
  const ids = Object.keys(change.servers);
  if (restoreText(change)) return { removed: ids, kept: [] };
  const source: Source = { ...globalSource(environment), file: change.file };
  const digests = entryDigests(source);
  const isOurs = (id: string) => digests.get(id)?.includes(change.servers[id] ?? '') === true;
  const removed = ids.filter((id) => isOurs(id) && removeEntry(source, id) !== undefined);
  if (change.before === undefined && entryDigests(source).size === 0) rmSync(change.file, { force: true });
  const kept = ids.filter((id) => digests.has(id) && !isOurs(id));
  return { removed, kept: kept.map((name) => ({ name, reason: 'changed' })) };
}

/** Returns false if something else has changed the file. */
function restoreText({ file, before, written }: ConfigChange): boolean {
  const found = readSmallFile(file);
  if (found === undefined) return true;
  return withFileLock(found.realPath, () => {
    const { bytes, realPath } = readSmallFile(file) ?? found;
    if (sha256(bytes) !== written) return false;
    if (before === undefined) rmSync(file, { force: true });
    else {
      const mode = statSync(realPath).mode & 0o777;
      writeFileAtomic(realPath, before, { isDurable: true, beforeRename: (temporary) => chmodSync(temporary, mode) });
    }
    return true;
  });
}

/** Two digests for each entry: as it is, and without `enabled`. Switching a server off does not make it the user's own. */
function entryDigests(source: Source): ReadonlyMap<string, readonly string[]> {
  const servers = readConfigFile(source)?.servers ?? [];
  return new Map(
    servers.map(({ id = '', value: { content } }) => {
      const { enabled: _, ...others } = isObject(content) ? content : {};
      return [id, [content, others].map((entry) => sha256(JSON.stringify(entry) ?? ''))];
    }),
  );
}

/** Removes the stored secrets, unless the user has stored another value since or a server still needs them. */
export function undoSecrets(
  digests: SetupJournal['secrets'],
  { needed, environment }: { readonly needed: ReadonlySet<string>; readonly environment: Environment },
): Undone {
  const store = openSecretStore(environment);
  const stored = store.readAll();
  const found = Object.entries(digests).flatMap(([name, digest]) => {
    const value = Object.hasOwn(stored, name) ? stored[name] : undefined;
    return value === undefined ? [] : [{ name, isOurs: sha256(value) === digest }];
  });
  const removed = found.filter(({ name, isOurs }) => isOurs && !needed.has(name)).map(({ name }) => name);
  for (const name of removed) store.remove(name);
  const kept = found.filter(({ name }) => !removed.includes(name));
  return { removed, kept: kept.map(({ name, isOurs }) => ({ name, reason: isOurs ? 'needed' : 'changed' })) };
}

/** Restores which servers each client sees. Servers that were shared with it since then stay shared. */
export function undoRecords(records: SetupJournal['records'], environment: Environment): void {
  const store = openClientServers(environment);
  for (const { client, before } of records) {
    if (store.read(client) === undefined && before === undefined) continue;
    store.change(client, (now) => {
      const { shared = [] } = before ?? {};
      const later = (now?.shared ?? []).filter((id) => !shared.includes(id));
      if (before === undefined && later.length === 0) return undefined;
      return { imported: [], seen: [], ...before, shared: [...shared, ...later] };
    });
  }
}
