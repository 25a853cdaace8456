/** What `JSON.parse` makes of an object: every member is its own, `__proto__` too. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** As JSON. Most texts have nothing in them that must be escaped: to look is cheaper than to write them anew. */
export function quote(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON must escape
const NEEDS_ESCAPES = /["\\\u0000-\u001f\ud800-\udfff]/;

/** For what should be a schema and is not. Never asks a value for its own words. */
export function describeValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'a list' : String(value).slice(0, MAX_NAME_LENGTH);
}

const MAX_NAME_LENGTH = 20;

/** Undefined for what is nested too deep to be written: the writer of the language follows every level on the stack. */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // The caller is told by the answer.
    return undefined;
  }
}
