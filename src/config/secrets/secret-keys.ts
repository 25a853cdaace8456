import { createRedact, isSecretName } from '../../base/redaction/redact.ts';
import { isObject } from '../../wire/messages.ts';
import { readNamedArgument } from './named-argument.ts';
import { findSecrets } from './secrets-in-text.ts';

/** Returns the keys of entries whose values look like secrets: `github.env.TOKEN`. */
export function secretKeysInServers(servers: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(servers).flatMap(([id, entry]) => secretKeysInEntry(entry).map((key) => `${id}.${key}`));
}

/** Returns the same keys inside one entry: `env.TOKEN`, `oauth.client_secret`. */
export function secretKeysInEntry(entry: unknown): readonly string[] {
  if (!isObject(entry)) return [];
  const { oauth, args, url } = entry;
  const named = ['headers', 'http_headers', 'env'].flatMap((key) => {
    const values = entry[key];
    if (!isObject(values)) return [];
    const names = Object.keys(values).filter((name) => isSecret(name, values[name]));
    return names.map((name) => `${key}.${name}`);
  });
  const clientSecret = isObject(oauth) ? (oauth['client_secret'] ?? oauth['clientSecret']) : undefined;
  return [
    ...named,
    ...(typeof clientSecret === 'string' && clientSecret !== '' ? ['oauth.client_secret'] : []),
    ...(Array.isArray(args) && args.some((arg, index) => isSecretArgument(arg, args[index - 1])) ? ['args'] : []),
    ...(typeof url === 'string' && createRedact([])(url) !== url ? ['url'] : []),
  ];
}

/** Returns whether a value is a secret by its name, or because it looks like a key of a well-known kind. */
export function isSecret(name: string, value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  return isSecretName(name) || createRedact([])(value) !== value;
}

/**
 * Returns whether an argument holds a secret: after an option such as `--token`, in `TOKEN=…`, or in a header of such a
 * name.
 */
function isSecretArgument(arg: unknown, before: unknown): boolean {
  if (typeof arg !== 'string') return false;
  const { name, value } = readNamedArgument(arg, before) ?? { name: '', value: arg };
  return isSecret(name, value) || findSecrets(arg).length > 0;
}
