import { isObject } from '../../wire/messages.ts';

type Members = Readonly<Record<string, unknown>>;

/** Merges one configuration into another, table by table. */
export function mergeConfig(base: Members, overrides: Members): Members {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(overrides)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? mergeConfig(before, value) : value;
  }
  return merged;
}
