import { isRegExp } from 'node:util/types';

/** Whether something is what a rule means; `unclear` where nobody can tell, and caution has to. */
export type Match = 'yes' | 'no' | 'unclear';

/**
 * A pattern in which `*` stands for any text, none included, and everything else for itself; it covers the whole text.
 * The pieces between the stars are looked for one after the other and never again, so that no text can make it slow.
 */
export function createGlob(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    const inner = text.slice(first.length, end);
    let from = 0;
    for (const piece of rest) {
      const found = inner.indexOf(piece, from);
      if (found === -1) return false;
      from = found + piece.length;
    }
    return true;
  };
}

export interface ExpressionOptions {
  /** It gives a permission: then the expression has to cover the whole text. Else finding it anywhere is enough. */
  readonly isAllowRule: boolean;
}

/**
 * A regular expression as a rule means it. Nobody knows whether it fits a text over the limit. It is a copy, which nobody
 * can change later.
 */
export function createExpression(
  { source, flags }: RegExp,
  { isAllowRule }: ExpressionOptions,
): (text: string) => Match {
  // Not ^ and $: with the flag m they are at home in the middle of a text.
  const expression = new RegExp(isAllowRule ? `(?<![\\s\\S])(?:${source})(?![\\s\\S])` : source, flags);
  return (text) => (text.length > MAX_EXPRESSION_TEXT ? 'unclear' : expression.test(text) ? 'yes' : 'no');
}

/** In characters. An expression can take very long for a long text. */
export const MAX_EXPRESSION_TEXT = 64 * 1024;

/** What is wrong with a pattern, as the end of a sentence; undefined when it is fine. */
export function patternError(pattern: unknown): string | undefined {
  if (typeof pattern === 'string') {
    if (pattern.length > MAX_PATTERN) return `is longer than ${MAX_PATTERN} characters`;
    return undefined;
  }
  if (!isRegExp(pattern)) return 'must be a string or a regular expression';
  if (pattern.global || pattern.sticky)
    return 'has the flag g or y, with which an expression goes on where it stopped the last time: leave the flag out';
  return undefined;
}

const MAX_PATTERN = 1024;
