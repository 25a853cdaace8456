import { AppError } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { readSmallFile } from '../files/small-file.ts';
import type { Source } from '../files/sources.ts';
import { formatLocation } from '../problem.ts';
import { type ChangedFile, type ConfigDocument, updateConfigFile } from './config-document.ts';

export interface WriteOptions {
  /** Whether to do everything but write. */
  readonly isDryRun?: boolean;
}

/** Returns the path of an entry in one of our own files. */
export function pathTo(id: string): readonly string[] {
  return ['mcp', 'servers', id];
}

/** Changes the text of a file that has this entry; undefined if there is no such entry. */
export function changeExisting(
  source: Source,
  id: string,
  options: WriteOptions | undefined,
  change: (document: ConfigDocument) => string,
): ChangedFile | undefined {
  // Without a file there is nothing to change, and no folder is created for it.
  if (readSmallFile(source.file) === undefined) return undefined;
  let isThere = false;
  const changed = updateConfigFile(
    source,
    (document) => {
      isThere = Object.hasOwn(document.servers, id);
      if (!isThere) return document.text;
      refuseDuplicate(document, source, id);
      return change(document);
    },
    options,
  );
  return isThere ? changed : undefined;
}

export function refuseDuplicate({ duplicates }: ConfigDocument, { file }: Source, id: string): void {
  if (!duplicates.has(id)) return;
  throw new AppError(
    'CONFIG_INVALID',
    `${formatLocation(file, 0)}: ${quoteIfNeeded(id)} appears more than once: keep one first.`,
  );
}

export function notAnEntry({ file }: Source, id: string): AppError {
  return new AppError(
    'CONFIG_INVALID',
    `${formatLocation(file, 0)}: the entry of ${quoteIfNeeded(id)} is not an object: correct it first.`,
  );
}
