import { rmdirSync, rmSync } from 'node:fs';
import { withFileLock } from '../../base/files/file-lock.ts';
import { isObject } from '../../wire/messages.ts';
import { platformPath } from '../files/folders.ts';
import { isLink } from '../files/repository-link.ts';
import { readSmallFile } from '../files/small-file.ts';
import type { Source } from '../files/sources.ts';
import { blankComments } from '../json/comments.ts';

/** Removes a project config that has no servers left and nothing else, and its folder if that is empty then. */
export function removeVacantConfig({ file, layer }: Source): void {
  if (layer !== 'project' || !isVacantConfig(file)) return;
  withFileLock(file, () => {
    // Another process may have added a server in the meantime.
    if (isVacantConfig(file)) rmSync(file, { force: true });
  });
  removeProjectFolder(file);
}

/** Returns whether a file of ours holds no more than its version and an empty list of servers. */
export function isVacantConfig(file: string): boolean {
  const { dirname } = platformPath(process.platform);
  if ([dirname(file), file].some(isLink)) return false;
  try {
    const text = readSmallFile(file)?.bytes.toString('utf8');
    // A comment was written by a person, who may want to keep it.
    if (text === undefined || blankComments(text) !== text) return false;
    const { version: _, mcp, ...others } = membersOf(JSON.parse(text));
    const { servers, ...settings } = membersOf(mcp);
    return [others, settings, servers].every((part) => isObject(part) && Object.keys(part).length === 0);
  } catch {
    // Not a config: it stays as it is.
    return false;
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : { unknown: value };
}

/** Removes the `.switchboard` folder of a project config if it is empty. */
export function removeProjectFolder(file: string): void {
  const { dirname, basename } = platformPath(process.platform);
  if (basename(dirname(file)) !== '.switchboard') return;
  try {
    rmdirSync(dirname(file));
  } catch {
    // It contains other files, or does not exist.
  }
}
