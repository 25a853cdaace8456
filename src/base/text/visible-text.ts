import { escapeLongText } from './escape-long-text.ts';

/**
 * Makes text from a file fit for display: escapes every character that controls a terminal, changes the reading
 * direction or is invisible. Inside JSON text the escapes are JSON's own, so the value stays exactly the same.
 */
export function escapeInvisible(text: string): string {
  if (text.length <= LONG) return text.replace(INVISIBLE, toEscapes);
  return text.search(INVISIBLE) === -1 ? text : escapeLongText(text, INVISIBLE);
}

/** Returns one word of a command line: bare if nothing in it could be misread, otherwise quoted as a JSON string. */
export function quoteIfNeeded(word: string): string {
  return PLAIN_WORD.test(word) ? word : escapeInvisible(JSON.stringify(word));
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/**
 * Controls, format characters (bidi, zero width, tags), line and paragraph separators, lone surrogates, and all other
 * default ignorable characters of Unicode, except the two selectors that emoji need (U+FE0E, U+FE0F).
 */
const INVISIBLE = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** A longer text may be a whole server response in which every character is invisible. */
const LONG = 64 * 1024;
