import { sequenceEnd } from './escape-sequence.ts';
import {
  HIDDEN,
  INTRODUCER,
  isHiddenPair,
  LINE_BREAK,
  LINE_END,
  LOW_SURROGATE,
  PLAIN,
  RETURN,
  unitKinds,
} from './hidden-characters.ts';
import { Utf16Writer } from './utf16-writer.ts';

interface CopyOptions {
  readonly multiline: boolean;
  /** The index at which to begin. */
  readonly from: number;
  /** Reads no further than the copy needs for this length. */
  readonly maxLength?: number;
}

interface NeutralizedCopy {
  readonly text: string;
  /** Whether the text was read to its end. */
  readonly isComplete: boolean;
}

/**
 * Copies the harmless units in one pass. Drops whole escape sequences, then every character that controls the display
 * or is invisible. Two surrogates that become neighbors because a unit between them was dropped are judged as one
 * character.
 */
export function copyNeutralized(text: string, options: CopyOptions): NeutralizedCopy {
  const { from, maxLength = text.length } = options;
  const kinds = unitKinds(options);
  const copy = new Utf16Writer(Math.min(text.length - from, maxLength));
  // The kind of the previous unit. An escape sequence does not count, because none of it is visible.
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
    else if (kind === LOW_SURROGATE) kind = writeLowSurrogate(copy, unit);
    else if (kind === LINE_BREAK && previous !== LINE_BREAK) copy.write(BLANK);
    else if (kind === LINE_END) {
      if (previous === RETURN) copy.write(CARRIAGE_RETURN);
      copy.write(LINE_FEED);
    }
    previous = kind;
  }
  return { text: copy.toString(), isComplete: at >= text.length };
}

const BLANK = 0x20;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

function writeLowSurrogate(copy: Utf16Writer, low: number): typeof HIDDEN | typeof PLAIN {
  if (isHiddenPair(copy.last ?? 0, low)) {
    copy.dropLast();
    return HIDDEN;
  }
  copy.write(low);
  return PLAIN;
}

/** Returns the index of the first unit from here on that a copy would drop or change; -1 if there is none. */
export function findUnsafeFrom(text: string, from: number, { multiline }: Pick<CopyOptions, 'multiline'>): number {
  const kinds = unitKinds({ multiline });
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const kind = kinds[unit] ?? PLAIN;
    if (kind === PLAIN || (unit === LINE_FEED && kind === LINE_END)) continue;
    if (kind === LOW_SURROGATE) {
      if (isHiddenPair(text.charCodeAt(at - 1), unit)) return at - 1;
      continue;
    }
    if (kind !== RETURN || text.charCodeAt(at + 1) !== LINE_FEED) return at;
  }
  return -1;
}
