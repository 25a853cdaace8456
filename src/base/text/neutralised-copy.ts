import { sequenceEnd } from './escape-sequence.ts';
import {
  BREAK,
  HIDDEN,
  INTRODUCER,
  isHiddenPair,
  kindsOfUnits,
  LINE_END,
  LOW_HALF,
  PLAIN,
  RETURN,
} from './hidden-characters.ts';
import { UnitWriter } from './utf16-writer.ts';

interface CopyOptions {
  readonly multiline: boolean;
  /** Where to begin. */
  readonly from: number;
  /** Reads no further than the copy needs for this length. */
  readonly maxLength?: number;
}

interface HarmlessCopy {
  readonly text: string;
  /** Whether the text was read to its end. */
  readonly isWhole: boolean;
}

/**
 * Copies what is harmless, in one pass: escape sequences are left out as a whole, then every character that steers or
 * hides. Two halves that meet because something between them went are judged as the character that they now are.
 */
export function copyHarmless(text: string, options: CopyOptions): HarmlessCopy {
  const { from, maxLength = text.length } = options;
  const kinds = kindsOfUnits(options);
  const copy = new UnitWriter(Math.min(text.length - from, maxLength));
  // Of what came last; a sequence does not count, for nothing of it is ever seen.
  let previous = HIDDEN;
  let at = from;
  for (; at < text.length && copy.length < maxLength; at++) {
    const unit = text.charCodeAt(at);
    let kind = kinds[unit] ?? PLAIN;
    if (kind === HIDDEN) {
      previous = HIDDEN;
      continue;
    }
    if (kind === INTRODUCER) {
      const end = sequenceEnd(text, at);
      if (end > at) {
        at = end - 1;
        continue;
      }
    }
    if (kind === PLAIN) copy.write(unit);
    else if (kind === LOW_HALF) kind = writeLowHalf(copy, unit);
    else if (kind === BREAK && previous !== BREAK) copy.write(BLANK);
    else if (kind === LINE_END) {
      if (previous === RETURN) copy.write(CARRIAGE_RETURN);
      copy.write(LINE_FEED);
    }
    previous = kind;
  }
  return { text: copy.toString(), isWhole: at >= text.length };
}

const BLANK = 0x20;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

function writeLowHalf(copy: UnitWriter, low: number): typeof HIDDEN | typeof PLAIN {
  if (isHiddenPair(copy.last ?? 0, low)) {
    copy.dropLast();
    return HIDDEN;
  }
  copy.write(low);
  return PLAIN;
}

/** The place of the first unit that a copy would leave out or change; -1 when it would be the same. */
export function firstHarm(text: string, { multiline }: Pick<CopyOptions, 'multiline'>): number {
  // Most texts are plain ASCII, or begin so.
  const first = text.search(multiline ? NOT_PLAIN_LINES : NOT_PLAIN);
  if (first === -1) return -1;
  const kinds = kindsOfUnits({ multiline });
  for (let at = first; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const kind = kinds[unit] ?? PLAIN;
    if (kind === PLAIN || (unit === LINE_FEED && kind === LINE_END)) continue;
    if (kind === LOW_HALF) {
      if (isHiddenPair(text.charCodeAt(at - 1), unit)) return at - 1;
      continue;
    }
    if (kind !== RETURN || text.charCodeAt(at + 1) !== LINE_FEED) return at;
  }
  return -1;
}

const NOT_PLAIN = /[^ -~]/;
const NOT_PLAIN_LINES = /[^\t\n -~]/;
