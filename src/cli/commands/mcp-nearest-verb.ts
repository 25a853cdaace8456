import { nearestNames } from '../../gateway/suggest.ts';
import { verbs } from './mcp-verbs.ts';

/** The verb of `switchboard mcp` that was probably meant: the same thing in other words, or a typing error. */
export function nearestVerb(name: string): string | undefined {
  if (Object.hasOwn(verbs, name)) return name;
  if (Object.hasOwn(OTHER_WORDS, name)) return OTHER_WORDS[name];
  return nearestNames(name, Object.keys(verbs))[0];
}

/** What other programs call the same thing. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  ...{ ls: 'list', rm: 'remove', delete: 'remove', show: 'get', describe: 'get', check: 'test' },
  ...{ signin: 'login', signout: 'logout', auth: 'login', run: 'call', exec: 'call', ps: 'status' },
  ...{ log: 'status', logs: 'status', info: 'get', inspect: 'get', on: 'enable', off: 'disable' },
};
