import type { WrittenEntry } from '../../config/write/write-entry.ts';
import { isObject } from '../../wire/messages.ts';

/** Returns the variables that an entry needs and that have no value. A variable with a default is not needed. */
export function missingVariables(
  entry: WrittenEntry,
  values: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const { header_env: headers, bearer_token_env_var: bearer, oauth, env_vars: inherited, expand_variables } = entry;
  const texts = expand_variables === true ? [...JSON.stringify(entry).matchAll(/\$\{([A-Za-z_]\w*)\}/g)] : [];
  const names = [
    ...texts.map(([, name]) => name),
    ...(isObject(headers) ? Object.values(headers) : []),
    bearer,
    isObject(oauth) ? oauth['client_secret_env'] : undefined,
    ...(Array.isArray(inherited) ? inherited : []),
  ].filter((name) => typeof name === 'string');
  return [...new Set(names)].filter((name) => (values[name] ?? '') === '');
}
