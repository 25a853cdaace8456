import { copyNeutralised, findFirstUnsafe } from './neutralised-copy.ts';

/**
 * Makes text from a stranger safe to show: to a person on a terminal, and to a model that would read what a person does
 * not see. Escape sequences go as a whole, then every character that steers or hides. What is left of a broken sequence
 * is plain text. U+200C and U+200D stay, because words of some languages and many emoji are made with them.
 */
export function neutralise(text: string, { multiline = false }: TextOptions = {}): string {
  const harm = findFirstUnsafe(text, { multiline });
  if (harm === -1) return text;
  // The other halves of these may stand behind what goes.
  const from = beforeHighSurrogates(text, harm);
  return text.slice(0, from) + copyNeutralised(text, { multiline, from }).text;
}

export interface TextOptions {
  /** Keeps tabs and line breaks; otherwise a run of them becomes one blank. */
  readonly multiline?: boolean;
}

/** Whether `neutralise` would change anything. Cheap: most texts need nothing. */
export function needsNeutralising(text: string, { multiline = false }: TextOptions = {}): boolean {
  return findFirstUnsafe(text, { multiline }) !== -1;
}

/**
 * For a message, a table or a log: one line, no blanks at its ends, cut after `maxLength` characters. Of a long text no
 * more is read than the line needs.
 */
export function oneLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  for (let length = maxLength + ROOM_FOR_BLANKS; ; length *= 16) {
    const { text: plain, isWhole: isComplete } = neutraliseStart(text, length);
    const line = plain.replace(WIDE_BLANKS, ' ').trim();
    if (line.length > maxLength)
      return `${line.slice(0, Math.max(0, maxLength - 1)).replace(TRAILING_HIGH_SURROGATE, '')}…`;
    if (isComplete) return line;
  }
}

/** So much more is read at first than is shown: blanks become fewer. */
const ROOM_FOR_BLANKS = 200;

/** The beginning of the text made harmless: all of it, or at least nearly this much. */
function neutraliseStart(text: string, length: number): { readonly text: string; readonly isWhole: boolean } {
  if (text.length <= length) return { text: neutralise(text), isWhole: true };
  const { text: plain, isComplete } = copyNeutralised(text, { multiline: false, from: 0, maxLength: length });
  return { text: isComplete ? plain : plain.slice(0, beforeHighSurrogates(plain, plain.length)), isWhole: isComplete };
}

/** Steps back over first halves of pairs: what follows decides which characters they are. */
function beforeHighSurrogates(text: string, end: number): number {
  let start = end;
  while (start > 0 && (text.charCodeAt(start - 1) & 0xfc00) === 0xd800) start--;
  return start;
}

const TRAILING_HIGH_SURROGATE = /[\ud800-\udbff]$/;
/** Whatever is not one plain blank already. */
const WIDE_BLANKS = /\s{2,}|[^\S ]/g;
