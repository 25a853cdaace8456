/**
 * Returns every text that a tool may read from a JSON value, besides the JSON itself: each string and key decoded, also
 * inside JSON that is a string or a part of one; each number in its canonical form; all strings joined as a command
 * line; and the whole value without whitespace and unnecessary escapes. Deny and confirm rules test all of them.
 */
export function interpretationsOf(json: string): ReadonlySet<string> {
  const found = new Set<string>();
  addInterpretations(json, { found, depth: 0 });
  return found;
}

interface InterpretationState {
  readonly found: Set<string>;
  /** How many levels of strings contain this JSON. */
  readonly depth: number;
}

const MAX_DEPTH = 4;

function addInterpretations(json: string, { found, depth }: InterpretationState): void {
  const words: string[] = [];
  const compact = json.replace(TOKEN, (token, at: number) => {
    if (/^\s/.test(token)) return '';
    const value: unknown = JSON.parse(token);
    const text = String(value);
    addSpellings(text, found);
    const isKey = /^\s*:/.test(json.slice(at + token.length, at + token.length + MAX_BLANKS));
    if (typeof value === 'string' && !isKey) words.push(text);
    if (typeof value === 'string' && depth < MAX_DEPTH && isJson(text))
      addInterpretations(text, { found, depth: depth + 1 });
    return JSON.stringify(value);
  });
  found.add(compact);
  if (words.length > 1) addSpellings(words.join(' '), found);
}

/**
 * A string, a number or whitespace. Matching tokens instead of parsing ensures that a duplicate key cannot hide a
 * value.
 */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|\s+/gs;
/** With more whitespace before the colon, a key counts as a word too. */
const MAX_BLANKS = 100;

/** Adds a text as it is, and with the escapes decoded that it contains if a part of it is JSON. */
function addSpellings(text: string, found: Set<string>): void {
  let spelling = text;
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    addNormalized(spelling, found);
    const decoded = spelling.replace(ESCAPE, (escaped) => String(JSON.parse(`"${escaped}"`)));
    if (decoded === spelling) return;
    spelling = decoded;
  }
}

/** An escape of JSON. Where the JSON begins is unknown, so these are matched in the whole text. */
const ESCAPE = /\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/g;

function addNormalized(text: string, found: Set<string>): void {
  found.add(text);
  if (/^[\0-\x7f]*$/.test(text)) return;
  // File systems and lenient programs treat these as the same.
  found.add(text.normalize('NFC')).add(text.normalize('NFKC'));
}

function isJson(text: string): boolean {
  if (!/^\s*["[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not JSON, so ordinary text.
    return false;
  }
}
