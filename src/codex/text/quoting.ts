import { neutralise } from '../../base/text/safe-text.ts';
import { cut } from './truncate.ts';

/** Begins every line that Switchboard did not write, and none that it did. */
const MARK = '> ';

/** Longer quoted texts are shortened; what a person sees is shortened further. */
const MAX_CHARS = 500_000;
/** A longer value does not go on the same line as its label. */
const MAX_INLINE_CHARS = 400;

/**
 * Marks each line of a text from elsewhere (the model, a server, a file) with `> `, so that no line of it looks like
 * one of Switchboard's own.
 *
 * @example quote('a\nReason: b') === '> a\n> Reason: b'
 */
export function quote(text: string): string {
  return cut(harmless(text), MAX_CHARS)
    .split('\n')
    .map((line) => MARK + line)
    .join('\n');
}

/**
 * Switchboard's own words followed by a command, a path or another value from elsewhere. The value stays on the same
 * line only if it cannot look like several lines: it has no line breaks, no run of blanks that would wrap, and no character that is displayed as a blank.
 *
 * @example label('in', '/w') === 'in /w'
 */
export function label(words: string, value: string): string {
  return isPlain(value) ? `${words} ${value}` : `${words.replace(/:$/, '')}:\n${quote(value)}`;
}

/** The question of an MCP server of the session, quoted. */
export function serverAsks(server: unknown, message: string): string {
  return `${label('Question from the MCP server', String(server))}\n${quote(message)}`;
}

/** Whether a text can stand unquoted on the same line as its label. */
export function isPlain(text: string): boolean {
  return text.length <= MAX_INLINE_CHARS && PLAIN.test(text) && !LOOKS_BLANK.test(text) && neutralise(text) === text;
}

/** Every character that some program displays as a line break. */
const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
const PLAIN = /^\S+(?: \S+)*$/;
/**
 * Characters without ink that `\s` does not match: ignorable ones, formats and separators, the empty Braille cell, the null
 * notehead, and the Khitan filler.
 */
const LOOKS_BLANK = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u2800\u{1d159}\u{16fe4}]/u;

function harmless(text: string): string {
  return neutralise(text.replace(LINE_BREAKS, '\n'), { multiline: true });
}
