import { listVariables } from '../entry/variable-uses.ts';
import type { Environment } from '../files/folders.ts';
import { openSecretStore } from '../secrets/secret-store.ts';
import type { ServerEntry } from '../server-entry.ts';
import { lookUpVariable } from './server-environment.ts';

/**
 * Returns the variables of an entry: our own environment, and the stored secrets that the entry names and the
 * environment lacks. A server never receives a secret that its entry does not name.
 */
export function entryVariables(
  entry: Pick<ServerEntry, 'transport' | 'expandsVariables'>,
  environment: Environment,
): Environment['env'] {
  const { env, platform } = environment;
  const missing = listVariables(entry).filter((name) => !lookUpVariable(env, name, platform));
  if (missing.length === 0) return env;
  const stored = openSecretStore(environment).readAll();
  const found = missing.filter((name) => Object.hasOwn(stored, name));
  return { ...env, ...Object.fromEntries(found.map((name) => [name, stored[name]])) };
}
