/** Whether a text is one JSON value. */
export function isJson(text: string): boolean {
  return tryParseJson(text) !== undefined;
}

/** Returns the value, or undefined if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller decides what to do with a text that is not JSON.
    return undefined;
  }
}
