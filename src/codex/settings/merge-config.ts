import { isObject } from '../../wire/messages.ts';

type Members = Readonly<Record<string, unknown>>;

/** Lays one configuration over another, table by table. */
export function mergeConfig(under: Members, over: Members): Members {
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? mergeConfig(before, value) : value;
  }
  return merged;
}
