import { isObject, type JsonObject } from '../../wire/messages.ts';

/** Merges one configuration into another, table by table. */
export function mergeConfig(base: JsonObject, overrides: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(overrides)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? mergeConfig(before, value) : value;
  }
  return merged;
}
