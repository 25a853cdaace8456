import { isIntroducer } from './escape-sequence.ts';

/** What is done with one UTF-16 unit of a text that is made harmless. */
export const PLAIN = 0;
/** Left out. */
export const HIDDEN = 1;
/** Left out, with the whole sequence if it begins one. */
export const INTRODUCER = 2;
/** The second half of a pair, which counts together with the first. */
export const LOW_SURROGATE = 3;
/** A carriage return before the end of a line belongs to it; alone it lets a line be written over, and is hidden. */
export const RETURN = 4;
/** U+2028 and U+2029 too: some terminals break a line there and some do not, so that a text could pass for two. */
export const LINE_END = 5;
/** A run of them becomes one blank. */
export const LINE_BREAK = 6;

const CONTROLS = [
  [0x0000, 0x0008],
  [0x000b, 0x000c],
  [0x000e, 0x001f],
  [0x007f, 0x009f],
] as const;

const BIDI = [
  [0x061c, 0x061c],
  [0x200e, 0x200f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
] as const;

/**
 * What Unicode calls default ignorable, without the joiners, the two selectors that emoji need (U+FE0E, U+FE0F), and what
 * Mongolian and old Hangul are written with. The other variation selectors are known carriers of hidden text.
 */
const INVISIBLE = [
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x200b, 0x200b],
  [0x2060, 0x2065],
  [0x206a, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0d],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
] as const;

/** Whether both halves together are a character that nobody sees. Any other two units are none. */
export function isHiddenPair(high: number, low: number): boolean {
  if ((high & 0xfc00) !== 0xd800 || (low & 0xfc00) !== 0xdc00) return false;
  const code = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
  // Tags, the variation selectors above them, and what is reserved between: a whole alphabet that nobody sees.
  const isTag = code >= 0xe0000 && code <= 0xe0fff;
  const isShorthand = code >= 0x1bca0 && code <= 0x1bca3;
  const isMusic = code >= 0x1d173 && code <= 0x1d17a;
  return isTag || isShorthand || isMusic;
}

/** What each unit is in a text that keeps its lines, or becomes one. */
export function unitKinds({ multiline }: { readonly multiline: boolean }): Readonly<Uint8Array> {
  return multiline ? kindsInLines() : kindsInOneLine();
}

// Made when a text needs them for the first time: most programs never meet one, and a start pays for everything.
const kindsInLines = once(() => withKinds(allKinds(), { [RETURN]: '\r', [LINE_END]: '\n\u2028\u2029' }));
const kindsInOneLine = once(() => withKinds(allKinds(), { [LINE_BREAK]: '\t\n\r\u0085\u2028\u2029' }));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A table, because it is asked for every unit of every long text. */
function allKinds(): Uint8Array {
  const kinds = new Uint8Array(0x10000);
  for (const [first, last] of [...CONTROLS, ...BIDI, ...INVISIBLE]) kinds.fill(HIDDEN, first, last + 1);
  for (let unit = 0; unit < 0xa0; unit++) if (isIntroducer(unit)) kinds[unit] = INTRODUCER;
  return kinds.fill(LOW_SURROGATE, 0xdc00, 0xe000);
}

function withKinds(kinds: Uint8Array, units: Readonly<Record<number, string>>): Uint8Array {
  for (const [kind, text] of Object.entries(units)) {
    for (const unit of text) kinds[unit.charCodeAt(0)] = Number(kind);
  }
  return kinds;
}
