import { escapeInvisible } from './visible-text.ts';

/**
 * Quotes a word of a command that a message tells the user to type, so that a shell reads it as exactly one word: the
 * text may be untrusted, and programs run such commands too. `quoteIfNeeded` is for display only.
 */
export function quoteForShell(text: string): string {
  return PLAIN.test(text) ? text : `'${escapeInvisible(text).replaceAll("'", "'\\''")}'`;
}

const PLAIN = /^[\w./@:+][\w./@:+,-]*$/;
