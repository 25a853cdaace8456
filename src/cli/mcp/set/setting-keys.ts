import { nearestNames } from '../../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { type EntryKey, entryKeys } from '../../../config/entry/entry-keys.ts';
import { type ArgumentRules, usageError } from '../../arguments/parse-arguments.ts';

/** The type of a setting decides how its value is read from text. */
type SettingType = 'text' | 'number' | 'boolean' | 'list' | 'map';

/** A setting that the user named. */
export interface Setting {
  /** As typed: `env.TOKEN`. */
  readonly key: string;
  readonly path: readonly string[];
  readonly type: SettingType;
  /** Other spellings of the same setting in the config. */
  readonly otherNames: readonly string[];
  readonly transport: EntryKey['transport'];
}

/** Finds the setting of a dotted key. Throws USAGE for an unknown one and suggests the nearest. */
export function parseSetting(key: string, rules: ArgumentRules): Setting {
  const dot = key.indexOf('.');
  const name = dot === -1 ? key : key.slice(0, dot);
  const member = dot === -1 ? undefined : key.slice(dot + 1);
  const known = KEYS.find(({ names }) => names.includes(name));
  if (known === undefined) throw unknownKey(name, rules);
  const { transport } = known;
  const otherNames = [...known.names.filter((other) => other !== name), ...(name === 'enabled' ? ['disabled'] : [])];
  const type = typeOf(name);
  if (member === undefined) return { key, path: [name], type, otherNames, transport };
  if (type !== 'map') throw usageError(rules, `${name} has no members: write ${name}=value.`);
  if (member === '' || RESERVED.has(member)) throw usageError(rules, `${quoteIfNeeded(key)} names no member.`);
  if (name === 'oauth' && !OAUTH_KEYS.includes(member)) throw unknownMember(member, rules);
  return { key, path: [name, member], type: 'text', otherNames, transport };
}

const KEYS = entryKeys({ layer: 'global', file: '', line: 0 });

const TYPES: Readonly<Record<Exclude<SettingType, 'text'>, readonly string[]>> = {
  number: ['startup_timeout_ms', 'startup_timeout_sec', 'request_timeout_ms', 'tool_timeout_sec', 'timeout'],
  boolean: ['inherit_env', 'enabled', 'disabled', 'pin', 'shareSignIn', 'expand_variables'],
  list: [
    ...['args', 'env_vars', 'enabled_tools', 'enabledTools', 'includeTools', 'allowedTools'],
    ...['disabled_tools', 'disabledTools', 'excludeTools'],
  ],
  map: ['env', 'headers', 'http_headers', 'header_env', 'env_http_headers', 'oauth'],
};

const OAUTH_KEYS: readonly string[] = [
  ...['authorization_url', 'token_url', 'registration_url', 'client_id', 'client_secret', 'client_secret_env', 'scope'],
];

/** Names with a special meaning on every object. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

function typeOf(name: string): SettingType {
  if (TYPES.number.includes(name)) return 'number';
  if (TYPES.boolean.includes(name)) return 'boolean';
  if (TYPES.list.includes(name)) return 'list';
  return TYPES.map.includes(name) ? 'map' : 'text';
}

function unknownKey(name: string, rules: ArgumentRules) {
  const names = KEYS.flatMap((key) => key.names.slice(0, 1));
  // People type a variable as if it were a setting.
  const near = /^[A-Z][A-Z0-9_]+$/.test(name) ? `env.${name}` : nearestNames(name, names)[0];
  const hint = near === undefined ? `Settings: ${names.join(', ')}.` : `Did you mean ${near}?`;
  return usageError(rules, `There is no setting ${quoteIfNeeded(name)}. ${hint}`);
}

function unknownMember(member: string, rules: ArgumentRules) {
  const [near] = nearestNames(member, OAUTH_KEYS);
  const hint = near === undefined ? `oauth has ${OAUTH_KEYS.join(', ')}.` : `Did you mean oauth.${near}?`;
  return usageError(rules, `There is no setting ${quoteIfNeeded(`oauth.${member}`)}. ${hint}`);
}
