import { isObject } from '../../../wire/messages.ts';
import type { Fields } from './fields.ts';

/**
 * Codex's configuration as its `-c key=value` wants it: one text for each value, keys dotted, values as TOML. Codex cuts a
 * key at every dot and knows no quotes, so a table with any other key is written as one value.
 *
 * @example toOverrides({ tools: { web_search: true } }) // ['tools.web_search=true']
 */
export function toOverrides(config: Fields): readonly string[] {
  return Object.entries(config).flatMap(([key, value]) => overridesOf(key, value));
}

/** The second laid over the first: tables are joined, everything else is replaced. */
export function mergeConfig(below: Fields, above: Fields): Fields {
  const merged = new Map(Object.entries(below));
  for (const [key, value] of Object.entries(above)) {
    const old = merged.get(key);
    merged.set(key, isTable(old) && isTable(value) ? mergeConfig(old, value) : value);
  }
  return Object.fromEntries(merged);
}

function overridesOf(path: string, value: unknown): readonly string[] {
  // TOML has no null: what is not set is not said.
  if (value === undefined || value === null) return [];
  if (!isTable(value)) return [`${path}=${toToml(value)}`];
  const keys = Object.keys(value);
  if (keys.length === 0 || !keys.every((key) => PLAIN_KEY.test(key))) return [`${path}=${toToml(value)}`];
  return Object.entries(value).flatMap(([key, member]) => overridesOf(`${path}.${key}`, member));
}

const PLAIN_KEY = /^[A-Za-z0-9_-]+$/;

function isTable(value: unknown): value is Fields {
  return isObject(value) && !(value instanceof Date);
}

function toToml(value: unknown): string {
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberToToml(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `[${value.filter(isSet).map(toToml).join(', ')}]`;
  if (!isTable(value)) return quote(String(value));
  const members = Object.entries(value).filter(([, member]) => isSet(member));
  return `{${members.map(([key, member]) => `${PLAIN_KEY.test(key) ? key : quote(key)} = ${toToml(member)}`).join(', ')}}`;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function numberToToml(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? 'inf' : '-inf';
}

/** JSON's escapes are TOML's too. TOML wants one more, for DEL, and half a surrogate pair is no character. */
function quote(text: string): string {
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll('\u007f', '\\u007f');
}
