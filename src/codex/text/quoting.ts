import { maxDisplayWidth } from '../../base/text/display-width.ts';
import { neutralize } from '../../base/text/safe-text.ts';
import { truncate } from './truncate.ts';

/** Prefix of every line that Switchboard did not write, and of none that it did. */
const QUOTE_PREFIX = '> ';

/** Longer quoted texts are shortened. Prompts are shortened further. */
const MAX_CHARS = 500_000;
/** A terminal may wrap a longer line, and the rest would look like a separate line. */
const MAX_COLUMNS = 76;

/**
 * Marks each line of a text from elsewhere (the model, a server, a file) with `> `, so that no line of it looks like
 * one of Switchboard's own.
 *
 * @example quote('a\nReason: b') === '> a\n> Reason: b'
 */
export function quote(text: string): string {
  return truncate(neutralizeLines(text), MAX_CHARS)
    .split('\n')
    .map((line) => QUOTE_PREFIX + line)
    .join('\n');
}

/**
 * Returns a text of Switchboard followed by a command, a path or another value from elsewhere. The value stays on the
 * same line only if it cannot look like several lines: it fits on the line or is a single word, and it has no line
 * breaks, runs of blanks or characters that are displayed as a blank.
 *
 * @example label('in', '/w') === 'in /w'
 */
export function label(words: string, value: string): string {
  const line = `${words} ${value}`;
  return isPlain(value, line) ? line : `${words.replace(/:$/, '')}:\n${quote(value)}`;
}

/** Quotes a question of an MCP server of the session. */
export function mcpServerQuestion(server: unknown, message: string): string {
  return `${label('Question from the MCP server', String(server))}\n${quote(message)}`;
}

/** Returns whether a terminal of 80 columns shows this line in one row. */
function fitsLine(line: string): boolean {
  return line.length <= MAX_COLUMNS && maxDisplayWidth(line) <= MAX_COLUMNS;
}

/** Returns whether a text cannot look like several lines. `line` is the line of Switchboard that would contain it. */
export function isPlain(text: string, line = ''): boolean {
  if (text.includes(' ') && !fitsLine(line)) return false;
  return text.length <= MAX_INLINE_CHARS && PLAIN.test(text) && !LOOKS_BLANK.test(text) && neutralize(text) === text;
}

/** Every character that some program displays as a line break. */
const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
const MAX_INLINE_CHARS = 400;
const PLAIN = /^\S+(?: \S+)*$/;
/**
 * Invisible characters that `\s` does not match: ignorable ones, formats and separators, the empty Braille cell, the
 * null notehead, and the Khitan filler.
 */
const LOOKS_BLANK = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u2800\u{1d159}\u{16fe4}]/u;

function neutralizeLines(text: string): string {
  return neutralize(text.replace(LINE_BREAKS, '\n'), { multiline: true });
}
