/** Whether a text is one JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The caller decides what to do with a text that is not JSON.
    return false;
  }
}
