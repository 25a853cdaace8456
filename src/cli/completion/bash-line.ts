/** A bash command line up to the cursor, unquoted and split into words. */
export interface BashLine {
  /** The program is the first word. */
  readonly words: readonly string[];
  /** The word at the cursor, which may be empty. */
  readonly current: string;
  /** Length of the prefix of `current` that bash keeps: bash replaces only the rest with an answer. */
  readonly keptLength: number;
  /** The quote that is open at the cursor, or empty. */
  readonly quote: Quote;
}

type Quote = '' | "'" | '"';

/**
 * Parses the line itself, because bash's own words are split at `=` and `:` and still contain quotes. Expands nothing.
 * Undefined for more than one plain command. `breaks` are the characters after which bash starts a new word; bash
 * counts `@` as part of that word.
 */
export function parseBashLine(line: string, breaks: string): BashLine | undefined {
  const words: string[] = [];
  let current: string | undefined;
  let keptLength = 0;
  let quote: Quote = '';
  let quoteAt = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === '\\' && escapes(line.charAt(at + 1), quote)) current = (current ?? '') + line.charAt(++at);
    else if (character === quote) quote = '';
    else if (quote !== '') current = (current ?? '') + character;
    else if (character === "'" || character === '"') {
      quote = character;
      current ??= '';
      quoteAt = current.length;
    } else if (BLANKS.includes(character)) {
      if (current !== undefined) words.push(current);
      current = undefined;
      keptLength = 0;
    } else if (CONTROL.includes(character)) return undefined;
    else {
      current = (current ?? '') + character;
      if (breaks.includes(character)) keptLength = character === '@' ? current.length - 1 : current.length;
    }
  }
  return { words, current: current ?? '', keptLength: quote === '' ? keptLength : quoteAt, quote };
}

const BLANKS = ' \t\n';
const CONTROL = ';|&<>()';

function escapes(next: string, quote: Quote): boolean {
  if (quote === "'") return false;
  return quote === '' || ['"', '\\', '$', '`'].includes(next);
}

/** Returns the text that bash inserts for an answer; undefined when the open quote cannot contain it. */
export function quoteForBash(answer: string, { keptLength, quote }: BashLine): string | undefined {
  const rest = answer.slice(keptLength);
  if (quote === "'") return rest.includes("'") ? undefined : rest;
  if (quote === '"') return rest.replace(/["\\$`]/g, '\\$&');
  return rest.replace(SPECIAL, '\\$&');
}

const SPECIAL = /[^\w./:=@%+,\u0080-\uffff-]/g;
