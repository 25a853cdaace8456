import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { toTomlLiteral } from '../../settings/toml.ts';

/**
 * Converts Codex's configuration for `-c key=value`: one argument per value, dotted keys, values as TOML. Codex splits
 * a key at every dot and does not support quotes, so a table with any other key becomes one value.
 *
 * @example toOverrides({ tools: { web_search: true } }) // ['tools.web_search=true']
 */
export function toOverrides(config: JsonObject): readonly string[] {
  return Object.entries(config).flatMap(([key, value]) => overridesOf(key, value));
}

function overridesOf(path: string, value: unknown): readonly string[] {
  // TOML has no null: omit values that are not set.
  if (value === undefined || value === null) return [];
  if (!isObject(value)) return [`${path}=${toTomlLiteral(value)}`];
  const keys = Object.keys(value);
  if (keys.length === 0 || !keys.every((key) => PLAIN_KEY.test(key))) return [`${path}=${toTomlLiteral(value)}`];
  return Object.entries(value).flatMap(([key, member]) => overridesOf(`${path}.${key}`, member));
}

const PLAIN_KEY = /^[A-Za-z0-9_-]+$/;
