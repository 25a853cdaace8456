import { UnitWriter } from '../base/unit-writer.ts';

/**
 * Text from a file, fit to be shown: what steers a terminal, turns the reading direction or cannot be seen becomes
 * its escape. Inside JSON text the escapes are JSON's own, so the value stays exactly the same.
 */
export function visible(text: string): string {
  return text.length > LONG ? writeVisible(text) : text.replace(UNSEEN, toEscapes);
}

/** One word of a command line: bare where nothing in it could be misread, else quoted as a JSON string. */
export function visibleWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : visible(JSON.stringify(word));
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Controls, format characters (bidi, zero width, tags), line and paragraph breaks, halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** From here on a whole answer of a server may be meant, and every character of it may be unseen. */
const LONG = 64 * 1024;

/** The same in one pass. The pattern is asked once for each different character: a search for it costs 20 times as much. */
function writeVisible(text: string): string {
  if (text.search(UNSEEN) === -1) return text;
  const isUnseen = createUnseenTable();
  const shown = new UnitWriter(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    const write = isUnseen(code) ? writeEscape : writeUnit;
    write(shown, text.charCodeAt(at));
    if (code > 0xffff) write(shown, text.charCodeAt(++at));
  }
  return shown.toString();
}

function createUnseenTable(): (code: number) => boolean {
  const answers = new Uint8Array(0x110000);
  return (code) => {
    answers[code] ||= String.fromCodePoint(code).search(UNSEEN) === -1 ? SEEN : NOT_SEEN;
    return answers[code] === NOT_SEEN;
  };
}

const SEEN = 1;
const NOT_SEEN = 2;

function writeUnit(shown: UnitWriter, unit: number): void {
  shown.write(unit);
}

function writeEscape(shown: UnitWriter, unit: number): void {
  shown.write(BACKSLASH);
  shown.write(LETTER_U);
  for (let shift = 12; shift >= 0; shift -= 4) {
    const digit = (unit >> shift) & 0xf;
    shown.write(digit < 10 ? DIGIT_ZERO + digit : LETTER_A + digit - 10);
  }
}

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const DIGIT_ZERO = 0x30;
const LETTER_A = 0x61;
