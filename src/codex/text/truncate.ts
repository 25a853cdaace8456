/** A text of so many characters at most; where it was cut, and how much is missing, is said. */
export function truncate(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).replace(HIGH_SURROGATE_END, '')}… [${text.length - maxChars} more characters]`;
}

/** The same for what it takes as JSON, where one character may become six. */
export function truncateJson(text: string, maxChars: number): string {
  const written = JSON.stringify(text).length - 2;
  return written <= maxChars ? text : truncate(text, Math.floor((maxChars * text.length) / written));
}

/** The end of a text, of so many characters of JSON at most; how much is missing before it is said. */
export function truncateStartJson(text: string, maxChars: number): string {
  const written = JSON.stringify(text).length - 2;
  if (written <= maxChars) return text;
  const tail = text
    .slice(text.length - Math.floor((maxChars * text.length) / written))
    .replace(LOW_SURROGATE_START, '');
  return `[${text.length - tail.length} characters before] …${tail}`;
}

/**
 * Shortens a question to its beginning and its end, because the end may matter most. A separate line says how much was
 * left out. If the end begins in the middle of a line, it gets the mark of a quoted line (`quoting.ts`); otherwise a
 * crafted text could look like one of Switchboard's own lines.
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

/** The same for what it takes as JSON. */
export function truncateMiddleJson(text: string, maxChars: number): string {
  const written = JSON.stringify(text).length - 2;
  return written <= maxChars ? text : truncateMiddle(text, Math.floor((maxChars * text.length) / written));
}

const LOW_SURROGATE_START = /^[\udc00-\udfff]/;
const HIGH_SURROGATE_END = /[\ud800-\udbff]$/;
const EMPTY_LAST_LINE = /\n(?:> ?)?$/;
