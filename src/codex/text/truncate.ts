/** A text of so many characters at most; where it was cut, and how much is missing, is said. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).replace(HALF_A_PAIR, '')}… [${text.length - maxChars} more characters]`;
}

/** The same for what it takes as JSON, where one character may become six. */
export function cutJson(text: string, maxChars: number): string {
  const written = JSON.stringify(text).length - 2;
  return written <= maxChars ? text : cut(text, Math.floor((maxChars * text.length) / written));
}

/** The end of a text, of so many characters of JSON at most; how much is missing before it is said. */
export function cutStartJson(text: string, maxChars: number): string {
  const written = JSON.stringify(text).length - 2;
  if (written <= maxChars) return text;
  const tail = text.slice(text.length - Math.floor((maxChars * text.length) / written)).replace(OTHER_HALF, '');
  return `[${text.length - tail.length} characters before] …${tail}`;
}

/**
 * Shortens a question to its beginning and its end, because the end may matter most. A separate line says how much was
 * left out. If the end begins in the middle of a line, it gets the mark of a quoted line (`quoting.ts`); otherwise a
 * crafted text could look like one of Switchboard's own lines.
 */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = text
    .slice(0, Math.ceil(maxChars / 2))
    .replace(HALF_A_PAIR, '')
    .replace(LINE_JUST_BEGUN, '');
  const tail = text.slice(text.length - Math.floor(maxChars / 2)).replace(OTHER_HALF, '');
  const isWithinLine = text.at(text.length - tail.length - 1) !== '\n';
  const leftOut = `… [${text.length - head.length - tail.length} characters left out] …`;
  return `${head}\n${leftOut}\n${isWithinLine ? '> ' : ''}${tail}`;
}

/** The same for what it takes as JSON. */
export function cutMiddleJson(text: string, maxChars: number): string {
  const written = JSON.stringify(text).length - 2;
  return written <= maxChars ? text : cutMiddle(text, Math.floor((maxChars * text.length) / written));
}

const OTHER_HALF = /^[\udc00-\udfff]/;
const HALF_A_PAIR = /[\ud800-\udbff]$/;
const LINE_JUST_BEGUN = /\n(?:> ?)?$/;
