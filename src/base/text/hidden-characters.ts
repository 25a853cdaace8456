import { isIntroducer } from './escape-sequence.ts';

/** A UTF-16 unit that is copied as it is. The kind of a unit decides how `copyNeutralized` treats it. */
export const PLAIN = 0;
/** Dropped. */
export const HIDDEN = 1;
/** Dropped, together with the whole escape sequence if it begins one. */
export const INTRODUCER = 2;
/** The second half of a surrogate pair, which is judged together with the first. */
export const LOW_SURROGATE = 3;
/** A carriage return, kept before a line feed. Alone, it would allow a line to be overwritten, and is dropped. */
export const RETURN = 4;
/** Becomes a line feed, also U+2028 and U+2029: only some terminals break a line there, which makes text ambiguous. */
export const LINE_END = 5;
/** A run of these becomes one blank. */
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
 * The default ignorable characters of Unicode, except the joiners, the two selectors that emoji need (U+FE0E, U+FE0F),
 * and those of Mongolian and old Hangul. The other variation selectors are known carriers of hidden text.
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

/** Returns whether two units are a surrogate pair that encodes an invisible character. */
export function isHiddenPair(high: number, low: number): boolean {
  if ((high & 0xfc00) !== 0xd800 || (low & 0xfc00) !== 0xdc00) return false;
  const code = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
  // Tags, the variation selectors above them, and the reserved range between: a whole invisible alphabet.
  const isTag = code >= 0xe0000 && code <= 0xe0fff;
  const isShorthand = code >= 0x1bca0 && code <= 0x1bca3;
  const isMusic = code >= 0x1d173 && code <= 0x1d17a;
  return isTag || isShorthand || isMusic;
}

/** Returns the kind of each unit, for a text that keeps its lines or for one that becomes a single line. */
export function unitKinds({ multiline }: { readonly multiline: boolean }): Readonly<Uint8Array> {
  return multiline ? kindsInLines() : kindsInOneLine();
}

// Created on first use: most runs never need them, and they would slow down every start.
const kindsInLines = once(() => withKinds(allKinds(), { [RETURN]: '\r', [LINE_END]: '\n\u2028\u2029' }));
const kindsInOneLine = once(() => withKinds(allKinds(), { [LINE_BREAK]: '\t\n\r\u0085\u2028\u2029' }));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Creates a table, because every unit of a long text is looked up. */
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
