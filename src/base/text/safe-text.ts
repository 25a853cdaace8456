import { copyNeutralized, findUnsafeFrom } from './neutralized-copy.ts';

/**
 * Makes untrusted text safe to show to a person on a terminal, and to a model, which would read text that is invisible
 * to a person. Drops whole escape sequences, then every character that controls the display or is invisible. The rest
 * of an incomplete sequence stays as plain text. U+200C and U+200D stay, because some languages and many emoji need
 * them.
 */
export function neutralize(text: string, { multiline = false }: TextOptions = {}): string {
  const unsafeAt = findFirstUnsafe(text, multiline);
  if (unsafeAt === -1) return text;
  // The low surrogates of these may follow the dropped units.
  const from = trimTrailingHighSurrogate(text, unsafeAt);
  return text.slice(0, from) + copyNeutralized(text, { multiline, from }).text;
}

export interface TextOptions {
  /** Keeps tabs and line breaks; otherwise a run of them becomes one blank. */
  readonly multiline?: boolean;
}

/** Returns whether `neutralize` would change the text. Cheap for the usual text, which needs no change. */
export function needsNeutralizing(text: string, { multiline = false }: TextOptions = {}): boolean {
  return findFirstUnsafe(text, multiline) !== -1;
}

function findFirstUnsafe(text: string, multiline: boolean): number {
  // Most texts are plain ASCII, or begin with it.
  const first = text.search(multiline ? NOT_PLAIN_LINES : NOT_PLAIN);
  return first === -1 ? -1 : findUnsafeFrom(text, first, { multiline });
}

const NOT_PLAIN = /[^ -~]/;
const NOT_PLAIN_LINES = /[^\t\n -~]/;

/**
 * Returns the text as one trimmed line of at most `maxLength` characters, for a message, a table or a log. Reads no
 * more of a long text than the line needs.
 */
export function oneLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  for (let length = maxLength + ROOM_FOR_BLANKS; ; length *= 16) {
    const { text: plain, isWhole: isComplete } = neutralizeStart(text, length);
    const line = plain.replace(WIDE_BLANKS, ' ').trim();
    if (line.length > maxLength)
      return `${line.slice(0, Math.max(0, maxLength - 1)).replace(TRAILING_HIGH_SURROGATE, '')}…`;
    if (isComplete) return line;
  }
}

/** How much more is read at first than is shown, because runs of blanks shrink. */
const ROOM_FOR_BLANKS = 200;

/** Neutralizes the beginning of the text: all of it, or at least nearly `length` units. */
function neutralizeStart(text: string, length: number): { readonly text: string; readonly isWhole: boolean } {
  if (text.length <= length) return { text: neutralize(text), isWhole: true };
  const { text: plain, isComplete } = copyNeutralized(text, { multiline: false, from: 0, maxLength: length });
  return {
    text: isComplete ? plain : plain.slice(0, trimTrailingHighSurrogate(plain, plain.length)),
    isWhole: isComplete,
  };
}

/** Steps back over high surrogates: the units after them decide which characters they form. */
function trimTrailingHighSurrogate(text: string, end: number): number {
  let start = end;
  while (start > 0 && (text.charCodeAt(start - 1) & 0xfc00) === 0xd800) start--;
  return start;
}

const TRAILING_HIGH_SURROGATE = /[\ud800-\udbff]$/;
/** Any whitespace except a single plain blank. */
const WIDE_BLANKS = /\s{2,}|[^\S ]/g;
