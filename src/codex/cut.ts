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

const HALF_A_PAIR = /[\ud800-\udbff]$/;
