/** Shortens a text to `maxChars` characters, and appends how many are missing. */
export function truncate(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).replace(HIGH_SURROGATE_END, '')}… [${text.length - maxChars} more characters]`;
}

/** Does the same for the length in JSON, where one character may become six. */
export function truncateJson(text: string, maxChars: number): string {
  const written = JSON.stringify(text).length - 2;
  return written <= maxChars ? text : truncate(text, Math.floor((maxChars * text.length) / written));
}

/**
 * Shortens a text to its end, with at most `maxChars` characters of JSON, and prepends how many are missing, including
 * the `omitted` characters that were before this text.
 */
export function truncateStartJson(text: string, maxChars: number, omitted = 0): string {
  const written = JSON.stringify(text).length - 2;
  const kept = written <= maxChars ? text.length : Math.floor((maxChars * text.length) / written);
  const tail = text.slice(text.length - kept).replace(LOW_SURROGATE_START, '');
  const missing = omitted + text.length - tail.length;
  return missing === 0 ? text : `[${missing} characters before] …${tail}`;
}

/**
 * Shortens a question to its beginning and its end, because the end may matter most. A separate line says how many
 * characters are missing. If the end begins in the middle of a line, it gets the prefix of a quoted line
 * (`quoting.ts`); otherwise a crafted text could look like one of Switchboard's own lines.
 */
export function truncateMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = text
    .slice(0, Math.ceil(maxChars / 2))
    .replace(HIGH_SURROGATE_END, '')
    .replace(EMPTY_LAST_LINE, '');
  const tail = text.slice(text.length - Math.floor(maxChars / 2)).replace(LOW_SURROGATE_START, '');
  const isWithinLine = text.at(text.length - tail.length - 1) !== '\n';
  const leftOut = `… [${text.length - head.length - tail.length} characters left out] …`;
  return `${head}\n${leftOut}\n${isWithinLine ? '> ' : ''}${tail}`;
}

/** Does the same for the length in JSON. */
export function truncateMiddleJson(text: string, maxChars: number): string {
  const written = JSON.stringify(text).length - 2;
  return written <= maxChars ? text : truncateMiddle(text, Math.floor((maxChars * text.length) / written));
}

const LOW_SURROGATE_START = /^[\udc00-\udfff]/;
const HIGH_SURROGATE_END = /[\ud800-\udbff]$/;
const EMPTY_LAST_LINE = /\n(?:> ?)?$/;
