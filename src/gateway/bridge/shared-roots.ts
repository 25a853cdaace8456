import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../wire/messages.ts';

/**
 * Returns the roots of a process that serves several clients: the folder that they share. Undefined if the process was
 * not told that its client has roots.
 */
export function sharedRoots(folder: string, capabilities: unknown): readonly unknown[] | undefined {
  if (!isObject(capabilities) || !isObject(capabilities['roots'])) return undefined;
  return [{ uri: pathToFileURL(folder).href, name: basename(folder) }];
}
