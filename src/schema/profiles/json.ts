/** Quotes a text as JSON. Most texts need no escapes, and a check is cheaper than serializing them. */
export function quote(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON must escape
const NEEDS_ESCAPES = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Describes a value that should be a schema and is not. Never calls `toString` on an object. */
export function describeValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'a list' : String(value).slice(0, MAX_NAME_LENGTH);
}

const MAX_NAME_LENGTH = 20;

/** Serializes a value; undefined if it is nested too deep, because `JSON.stringify` uses the stack for every level. */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // The caller handles undefined.
    return undefined;
  }
}
