/** Returns whether a unit can begin an escape sequence. Accepts the 7-bit and 8-bit introducers of ECMA-48. */
export function isIntroducer(unit: number): boolean {
  return unit === ESCAPE || unit === CONTROL_SEQUENCE || isStringIntroducer(unit);
}

/**
 * Returns where the sequence that begins at this introducer ends; `start` itself if the sequence is incomplete.
 * Recognizes control sequences, strings up to their terminator, and short escapes. A string never extends past another
 * introducer, so that a flood of introducers is still read in linear time.
 */
export function sequenceEnd(text: string, start: number): number {
  const unit = text.charCodeAt(start);
  if (unit === CONTROL_SEQUENCE) return controlSequenceEnd(text, start + 1) ?? start;
  if (unit !== ESCAPE) return stringEnd(text, start + 1) ?? start;
  const next = text.charCodeAt(start + 1);
  const longEnd =
    next === BRACKET
      ? controlSequenceEnd(text, start + 2)
      : STRING_LETTERS.includes(next)
        ? stringEnd(text, start + 2)
        : undefined;
  return longEnd ?? shortEnd(text, start + 1) ?? start;
}

const BELL = 0x07;
const ESCAPE = 0x1b;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CONTROL_SEQUENCE = 0x9b;
const STRING_END = 0x9c;
/** `]`, `P`, `X`, `^` and `_`, after an escape. */
const STRING_LETTERS: readonly number[] = [0x5d, 0x50, 0x58, 0x5e, 0x5f];

function isStringIntroducer(unit: number): boolean {
  return unit === 0x90 || unit === 0x98 || (unit >= 0x9d && unit <= 0x9f);
}

function controlSequenceEnd(text: string, from: number): number | undefined {
  const parametersEnd = skip(text, from, { first: 0x30, last: 0x3f });
  const end = skip(text, parametersEnd, { first: 0x20, last: 0x2f });
  return isWithin(text.charCodeAt(end), { first: 0x40, last: 0x7e }) ? end + 1 : undefined;
}

function stringEnd(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BELL || unit === STRING_END) return at + 1;
    if (unit === ESCAPE && text.charCodeAt(at + 1) === BACKSLASH) return at + 2;
    if (isIntroducer(unit)) return undefined;
  }
  return undefined;
}

function shortEnd(text: string, from: number): number | undefined {
  const end = skip(text, from, { first: 0x20, last: 0x2f });
  return isWithin(text.charCodeAt(end), { first: 0x30, last: 0x7e }) ? end + 1 : undefined;
}

interface Units {
  readonly first: number;
  readonly last: number;
}

function skip(text: string, from: number, units: Units): number {
  let at = from;
  while (isWithin(text.charCodeAt(at), units)) at++;
  return at;
}

function isWithin(unit: number, { first, last }: Units): boolean {
  return unit >= first && unit <= last;
}
