import { formatLocation } from '../../../config/problem.ts';
import { secretKeysInEntry } from '../../../config/secrets/secret-keys.ts';
import type { WrittenEntry } from '../../../config/write/write-entry.ts';
import type { Scope } from './definitions.ts';

/** Warns about secrets in the URL or the arguments, which were on the command line. */
export function visibleSecretWarnings(entry: WrittenEntry): readonly string[] {
  return secretKeysInEntry(entry)
    .filter((key) => key === 'url' || key === 'args')
    .map((key) => `${key} seems to contain a secret, which is visible on the command line and in process lists.`);
}

/** Warns about a secret in the config of a project, which others may read. */
export function projectSecretWarnings(
  entry: WrittenEntry,
  { scope, file }: { readonly scope: Scope; readonly file: string },
): readonly string[] {
  if (scope !== 'project' || secretKeysInEntry(entry).length === 0) return [];
  return [
    `${formatLocation(file, 0)} contains a secret and is in a project. Keep it out of version control, or name a variable instead (--header-env, --bearer-token-env-var, --oauth-client-secret-env), or use --scope global.`,
  ];
}
