import { existsSync, readFileSync } from 'node:fs';
import { authFile } from '../../auth/store/auth-store.ts';
import type { Environment } from '../../config/files/folders.ts';
import { isObject } from '../../wire/messages.ts';

/** Returns the ids of the servers with a stored sign-in; undefined if the file cannot be read. */
export function listSignIns(environment: Environment): readonly string[] | undefined {
  const file = authFile(environment);
  if (!existsSync(file)) return [];
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const servers = isObject(content) ? content['servers'] : undefined;
    return isObject(servers) ? Object.keys(servers) : undefined;
  } catch {
    // Damaged, or inaccessible.
    return undefined;
  }
}
