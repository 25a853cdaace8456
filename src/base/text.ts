/**
 * Makes text from a stranger safe to show: to a person on a terminal, and to a model that would read what a person does
 * not see. Escape sequences go as a whole, then every character that steers or hides. What is left of a broken sequence
 * is plain text. U+200C and U+200D stay, because words of some languages and many emoji are made with them.
 */
export function neutralise(text: string, { multiline = false }: TextOptions = {}): string {
  if (!needsNeutralising(text, { multiline })) return text;
  const plain = text.replace(SEQUENCES, '');
  return (multiline ? plain.replace(ODD_BREAKS, '\n') : plain.replace(BREAKS, ' ')).replace(HIDDEN, '');
}

export interface TextOptions {
  /** Keeps tabs and line breaks; otherwise a run of them becomes one blank. */
  readonly multiline?: boolean;
}

/** Whether `neutralise` would change anything. Cheap: most texts need nothing. */
export function needsNeutralising(text: string, { multiline = false }: TextOptions = {}): boolean {
  return ANY_HIDDEN.test(text) || (multiline ? ODD_BREAK : ANY_BREAK).test(text);
}

/** For a message, a table or a log: one line, no blanks at its ends, cut after `maxLength` characters. */
export function oneLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const line = neutralise(text).replace(/\s+/g, ' ').trim();
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength - 1).replace(HALF_A_PAIR, '')}…`;
}

const HALF_A_PAIR = /[\ud800-\udbff]$/;

/** A carriage return before a line feed is a line's end; alone it lets a line be written over, and counts as hidden. */
const CONTROLS = String.raw`\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f`;
const BIDI = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
/**
 * What Unicode calls default ignorable, without the joiners, the two selectors that emoji need (U+FE0E, U+FE0F), and what
 * Mongolian and old Hangul are written with. The other variation selectors are known carriers of hidden text.
 */
const INVISIBLE = String.raw`\u00ad\u034f\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}`;
/** Tags, the variation selectors above them, and what is reserved between: a whole alphabet that nobody sees. */
const TAGS = String.raw`\u{e0000}-\u{e0fff}`;

const HIDDEN_PATTERN = String.raw`[${CONTROLS}${BIDI}${INVISIBLE}${TAGS}]|\r(?!\n)`;
/** Looks back from whatever is not plain ASCII: measured, three times as fast as looking for the pattern itself. */
const ANY_HIDDEN = new RegExp(String.raw`[^\t\n -~](?<=${HIDDEN_PATTERN})`, 'u');
const HIDDEN = new RegExp(HIDDEN_PATTERN, 'gu');
const ANY_BREAK = /[\t\n\r\u2028\u2029]/;
/** Some terminals break a line here and some do not: a text could pass for two. */
const ODD_BREAK = /[\u2028\u2029]/;
const ODD_BREAKS = /[\u2028\u2029]/g;
const BREAKS = /[\t\n\r\u0085\u2028\u2029]+/g;

/**
 * ECMA-48, with its introducers of seven and of eight bits: control sequences, strings up to their end, short escapes.
 * A string never reaches over another introducer, so that a flood of them is still read in one go.
 */
const SEQUENCES = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009b-\u009f]*(?:\u0007|\u001b\\|\u009c)`,
    String.raw`\u001b[ -/]*[0-~]`,
  ].join('|'),
  'g',
);
