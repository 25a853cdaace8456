/** What `JSON.parse` makes of an object: every member is its own, `__proto__` too. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for what is nested too deep to be written: the writer of the language follows every level on the stack. */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // The caller is told by the answer.
    return undefined;
  }
}
