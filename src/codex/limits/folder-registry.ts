import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomHex } from '../../base/digest.ts';
import { readSmallFile } from '../../config/files/small-file.ts';
import { isObject } from '../../wire/messages.ts';
import { stringsOf } from '../json-values.ts';
import { isOfEndedProcess } from '../working-tree/process-folder.ts';

/** The folders of one session, by their real paths. */
interface UsedFolders {
  readonly folders: readonly string[];
  /** The folders that the session may write to. */
  readonly writable: readonly string[];
}

/** Shares among the Codex servers of one user which folders their sessions use. */
export interface FolderRegistry {
  /** Replaces the list that this server published before. */
  publish(used: readonly UsedFolders[]): void;
  others(): readonly UsedFolders[];
}

/** Creates a registry in `parent`: a file per server, named after its process id. Deletes those of ended processes. */
export function createFolderRegistry(parent: string): FolderRegistry {
  const own = `${process.pid}-${randomHex(8)}.json`;
  let published = '[]';
  return {
    publish(used) {
      const text = JSON.stringify(used);
      if (text === published) return;
      published = text;
      try {
        if (used.length === 0) return rmSync(join(parent, own), { force: true });
        mkdirSync(parent, { recursive: true, mode: 0o700 });
        // The rename makes the write atomic, because another server may be reading.
        writeFileSync(join(parent, `${own}.new`), text, { mode: 0o600 });
        renameSync(join(parent, `${own}.new`), join(parent, own));
      } catch {
        // If the folder is not writable, as in a read-only home folder, each server knows only its own sessions.
      }
    },
    others: () => namesIn(parent).flatMap((name) => (name === own ? [] : readUsed(join(parent, name), name))),
  };
}

function namesIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent).filter((name) => name.endsWith('.json'));
  } catch {
    // No server has written a file yet.
    return [];
  }
}

function readUsed(file: string, name: string): readonly UsedFolders[] {
  try {
    if (isOfEndedProcess(name)) {
      rmSync(file, { force: true });
      return [];
    }
    const used: unknown = JSON.parse(readSmallFile(file)?.bytes.toString('utf8') ?? '[]');
    return Array.isArray(used) ? used.map(toUsed) : [];
  } catch {
    // The file has been deleted, or another program wrote it.
    return [];
  }
}

function toUsed(value: unknown): UsedFolders {
  const { folders, writable } = isObject(value) ? value : {};
  return { folders: stringsOf(folders), writable: stringsOf(writable) };
}
