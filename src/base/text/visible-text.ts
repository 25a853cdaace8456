import { escapeLongText } from './escape-long-text.ts';

/**
 * Text from a file, fit to be shown: what steers a terminal, turns the reading direction or cannot be seen becomes
 * its escape. Inside JSON text the escapes are JSON's own, so the value stays exactly the same.
 */
export function escapeInvisible(text: string): string {
  if (text.length <= LONG) return text.replace(INVISIBLE, toEscapes);
  return text.search(INVISIBLE) === -1 ? text : escapeLongText(text, INVISIBLE);
}

/** One word of a command line: bare where nothing in it could be misread, else quoted as a JSON string. */
export function quoteIfNeeded(word: string): string {
  return PLAIN_WORD.test(word) ? word : escapeInvisible(JSON.stringify(word));
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/**
 * Controls, format characters (bidi, zero width, tags), line and paragraph breaks, halves of characters, and everything
 * else that Unicode calls default ignorable, except the two selectors that emoji are written with (U+FE0E, U+FE0F).
 */
const INVISIBLE = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** From here on it may be a whole answer of a server, of which every character is unseen. */
const LONG = 64 * 1024;
