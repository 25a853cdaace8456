import { existsSync, readFileSync } from 'node:fs';
import { authFile } from '../../auth/store/auth-store.ts';
import type { Environment } from '../../config/files/folders.ts';
import { isObject } from '../../wire/messages.ts';

/** Returns whether any sign-in is stored. A file that cannot be read may contain some. */
export function hasStoredSignIns(environment: Environment): boolean {
  const file = authFile(environment);
  if (!existsSync(file)) return false;
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const servers = isObject(content) ? content['servers'] : undefined;
    return !isObject(servers) || Object.keys(servers).length > 0;
  } catch {
    // Damaged, or inaccessible.
    return true;
  }
}
