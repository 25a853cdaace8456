import { isRegExp } from 'node:util/types';

/** Whether a value matches a rule; `unclear` when that cannot be determined, so that the stricter outcome applies. */
export type Match = 'yes' | 'no' | 'unclear';

export interface ExpressionOptions {
  /**
   * The rule grants a permission, so the expression must match the whole text. Otherwise a match anywhere is enough.
   */
  readonly isAllowRule: boolean;
}

/**
 * Compiles the regular expression of a rule. A text over the length limit is `unclear`. The copy protects against later
 * changes.
 */
export function createExpression(
  { source, flags }: RegExp,
  { isAllowRule }: ExpressionOptions,
): (text: string) => Match {
  // Not ^ and $: with the flag m they also match in the middle of a text.
  const expression = new RegExp(isAllowRule ? `(?<![\\s\\S])(?:${source})(?![\\s\\S])` : source, flags);
  return (text) => (text.length > MAX_EXPRESSION_TEXT ? 'unclear' : expression.test(text) ? 'yes' : 'no');
}

/** In characters. An expression can take very long on a long text. */
export const MAX_EXPRESSION_TEXT = 64 * 1024;

/** Describes the fault of a pattern, as the end of a sentence; undefined when the pattern is valid. */
export function patternError(pattern: unknown): string | undefined {
  if (typeof pattern === 'string') {
    if (pattern.length > MAX_PATTERN) return `is longer than ${MAX_PATTERN} characters`;
    return undefined;
  }
  if (!isRegExp(pattern)) return 'must be a string or a regular expression';
  if (pattern.global || pattern.sticky)
    return 'has the flag g or y, which makes an expression continue from its last match: leave the flag out';
  return undefined;
}

const MAX_PATTERN = 1024;
