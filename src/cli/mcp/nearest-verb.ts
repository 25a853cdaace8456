import { nearestNames } from '../../base/text/nearest-names.ts';
import { isVerb, verbs } from './verbs.ts';

/** Returns the verb of `switchboard mcp` that was probably meant: a synonym, or the nearest name for a typing error. */
export function nearestVerb(name: string): string | undefined {
  return verbOrAlias(name) ?? nearestNames(name, Object.keys(verbs))[0];
}

/** Returns the verb of this name, or the one that it is an alias of. */
export function verbOrAlias(name: string): string | undefined {
  if (isVerb(name)) return name;
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
}

/** Names of the same verbs in other programs. */
const ALIASES: Readonly<Record<string, string>> = {
  ...{ ls: 'list', rm: 'remove', delete: 'remove', show: 'get', describe: 'get', check: 'test' },
  ...{ signin: 'login', signout: 'logout', auth: 'login', run: 'call', exec: 'call', ps: 'status' },
  ...{ log: 'status', logs: 'status', info: 'get', inspect: 'get', on: 'enable', off: 'disable' },
};
