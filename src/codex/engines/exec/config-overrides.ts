import { isObject } from '../../../wire/messages.ts';
import { toTomlLiteral } from '../../settings/toml.ts';
import type { Fields } from './protocol/fields.ts';

/**
 * Codex's configuration as its `-c key=value` wants it: one text for each value, keys dotted, values as TOML. Codex cuts a
 * key at every dot and knows no quotes, so a table with any other key is written as one value.
 *
 * @example toOverrides({ tools: { web_search: true } }) // ['tools.web_search=true']
 */
export function toOverrides(config: Fields): readonly string[] {
  return Object.entries(config).flatMap(([key, value]) => overridesOf(key, value));
}

function overridesOf(path: string, value: unknown): readonly string[] {
  // TOML has no null: what is not set is not said.
  if (value === undefined || value === null) return [];
  if (!isObject(value)) return [`${path}=${toTomlLiteral(value)}`];
  const keys = Object.keys(value);
  if (keys.length === 0 || !keys.every((key) => PLAIN_KEY.test(key))) return [`${path}=${toTomlLiteral(value)}`];
  return Object.entries(value).flatMap(([key, member]) => overridesOf(`${path}.${key}`, member));
}

const PLAIN_KEY = /^[A-Za-z0-9_-]+$/;
