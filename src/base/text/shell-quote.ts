import { escapeInvisible } from './visible-text.ts';

/**
 * A word of a command that somebody is told to type, as a shell takes it for one word and nothing else: whoever named it
 * may be a stranger, and programs run such commands too. `visibleWord` is for reading only.
 */
export function quoteForShell(text: string): string {
  return PLAIN.test(text) ? text : `'${escapeInvisible(text).replaceAll("'", "'\\''")}'`;
}

const PLAIN = /^[\w./@:+][\w./@:+,-]*$/;
