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

/** For what has to be judged: the beginning and the end of it, because the end may be what matters. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = text.slice(0, Math.ceil(maxChars / 2)).replace(HALF_A_PAIR, '');
  const tail = text.slice(text.length - Math.floor(maxChars / 2)).replace(OTHER_HALF, '');
  return `${head}… [${text.length - head.length - tail.length} characters left out] …${tail}`;
}

/** The same for what it takes as JSON. */
export function cutMiddleJson(text: string, maxChars: number): string {
  const written = JSON.stringify(text).length - 2;
  return written <= maxChars ? text : cutMiddle(text, Math.floor((maxChars * text.length) / written));
}

const OTHER_HALF = /^[\udc00-\udfff]/;
const HALF_A_PAIR = /[\ud800-\udbff]$/;
