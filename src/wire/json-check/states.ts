/**
 * JSON as a state machine over bytes: which state follows which, for each byte. `json-check.ts` runs it.
 * Line breaks between tokens are refused: a message that contains one cannot be sent on one line unchanged.
 */
export const STATES = numbered([
  // The states in which long runs of bytes are skipped come first.
  'string',
  'keyString',
  'fraction',
  'value',
  'firstElement',
  'firstKey',
  'key',
  'colon',
  'afterValue',
  'escape',
  'hex1',
  'hex2',
  'hex3',
  'hex4',
  'keyEscape',
  'keyHex1',
  'keyHex2',
  'keyHex3',
  'keyHex4',
  // `\ud` and what may follow it, up to the low surrogate of a pair.
  'hexD',
  'high3',
  'high4',
  'afterHigh',
  'highEscape',
  'highHex1',
  'highHexD',
  'keyHexD',
  'keyHigh3',
  'keyHigh4',
  'keyAfterHigh',
  'keyHighEscape',
  'keyHighHex1',
  'keyHighHexD',
  'minus',
  'zero',
  'integer',
  'point',
  'exponent',
  'exponentSign',
  'exponentDigits',
  't',
  'tr',
  'tru',
  'f',
  'fa',
  'fal',
  'fals',
  'n',
  'nu',
  'nul',
  // The two error states, which are never left.
  'invalid',
  'tooDeep',
]);

/** Entries of the table that are not states: structural characters. Most of them change the stack of open objects. */
export const ACTIONS = {
  openObject: 64,
  openArray: 65,
  closeObject: 66,
  closeArray: 67,
  comma: 68,
  colon: 69,
} as const;

/**
 * A flag added to a state: the surrogate that was just read has no partner. JSON allows such an escape, but UTF-8
 * cannot encode it.
 */
export const LONE_SURROGATE = 128;

/** A value may end here: a number has no closing character. */
export const FINAL_STATES: ReadonlySet<number> = new Set([
  STATES.afterValue,
  STATES.zero,
  STATES.integer,
  STATES.fraction,
  STATES.exponentDigits,
]);

/** Creates the table with the next state, or an action, for each state (256 entries each) and byte. */
export function createTransitions(): Uint8Array {
  const table = new Uint8Array(Object.keys(STATES).length * 256).fill(STATES.invalid);
  const on = (state: number, characters: string, next: number) => {
    for (let index = 0; index < characters.length; index++) table[state * 256 + characters.charCodeAt(index)] = next;
  };
  table.fill(STATES.tooDeep, STATES.tooDeep * 256);
  addStructure(on);
  addNumbers(on);
  for (const states of [VALUE_STRING, KEY_STRING]) {
    addString(table, on, states);
    addPairs(table, on, states);
  }
  addWord(on, STATES.t, 'rue');
  addWord(on, STATES.f, 'alse');
  addWord(on, STATES.n, 'ull');
  return table;
}

type On = (state: number, characters: string, next: number) => void;

function addStructure(on: On): void {
  for (const state of [STATES.value, STATES.firstElement]) {
    on(state, BLANK, state);
    on(state, '"', STATES.string);
    on(state, '{', ACTIONS.openObject);
    on(state, '[', ACTIONS.openArray);
    on(state, '-', STATES.minus);
    on(state, '0', STATES.zero);
    on(state, NOT_ZERO, STATES.integer);
    on(state, 't', STATES.t);
    on(state, 'f', STATES.f);
    on(state, 'n', STATES.n);
  }
  on(STATES.firstElement, ']', ACTIONS.closeArray);
  for (const state of [STATES.firstKey, STATES.key]) {
    on(state, BLANK, state);
    on(state, '"', STATES.keyString);
  }
  on(STATES.firstKey, '}', ACTIONS.closeObject);
  on(STATES.colon, BLANK, STATES.colon);
  on(STATES.colon, ':', STATES.value);
  for (const state of FINAL_STATES) {
    on(state, BLANK, STATES.afterValue);
    on(state, ',', ACTIONS.comma);
    on(state, '}', ACTIONS.closeObject);
    on(state, ']', ACTIONS.closeArray);
  }
}

function addNumbers(on: On): void {
  on(STATES.minus, '0', STATES.zero);
  on(STATES.minus, NOT_ZERO, STATES.integer);
  on(STATES.integer, DIGITS, STATES.integer);
  for (const state of [STATES.zero, STATES.integer]) on(state, '.', STATES.point);
  for (const state of [STATES.point, STATES.fraction]) on(state, DIGITS, STATES.fraction);
  for (const state of [STATES.zero, STATES.integer, STATES.fraction]) on(state, 'eE', STATES.exponent);
  on(STATES.exponent, '+-', STATES.exponentSign);
  for (const state of [STATES.exponent, STATES.exponentSign, STATES.exponentDigits])
    on(state, DIGITS, STATES.exponentDigits);
}

interface StringStates {
  readonly string: number;
  readonly escaped: number;
  /** The first of four. */
  readonly hex: number;
  /** The first of seven. */
  readonly hexD: number;
  readonly next: number;
}

const VALUE_STRING: StringStates = {
  string: STATES.string,
  escaped: STATES.escape,
  hex: STATES.hex1,
  hexD: STATES.hexD,
  next: STATES.afterValue,
};

const KEY_STRING: StringStates = {
  string: STATES.keyString,
  escaped: STATES.keyEscape,
  hex: STATES.keyHex1,
  hexD: STATES.keyHexD,
  next: STATES.colon,
};

function addString(table: Uint8Array, on: On, { string, escaped, hex, next }: StringStates): void {
  // Accepts all bytes above 127. A separate check of the whole frame ensures that they are UTF-8.
  table.fill(string, string * 256 + 0x20, string * 256 + 256);
  on(string, '"', next);
  on(string, '\\', escaped);
  on(escaped, '"\\/bfnrt', string);
  on(escaped, 'u', hex);
  for (let digit = 0; digit < 4; digit++) on(hex + digit, HEX_DIGITS, digit === 3 ? string : hex + digit + 1);
}

/** Flags lone surrogates: `\udc00` to `\udfff` must follow `\ud800` to `\udbff`, and neither may occur alone. */
function addPairs(table: Uint8Array, on: On, { string, hex, hexD, next }: StringStates): void {
  const [high3, high4, afterHigh] = [hexD + 1, hexD + 2, hexD + 3];
  const [highEscape, highHex1, highHexD] = [hexD + 4, hexD + 5, hexD + 6];
  const hex3 = hex + 2;
  on(hex, 'dD', hexD);
  on(hexD, BEFORE_HALVES, hex3);
  on(hexD, HIGH, high3);
  on(hexD, LOW, hex3 | LONE_SURROGATE);
  on(high3, HEX_DIGITS, high4);
  on(high4, HEX_DIGITS, afterHigh);
  table.fill(string | LONE_SURROGATE, afterHigh * 256 + 0x20, afterHigh * 256 + 256);
  on(afterHigh, '"', next | LONE_SURROGATE);
  on(afterHigh, '\\', highEscape);
  on(highEscape, '"\\/bfnrt', string | LONE_SURROGATE);
  on(highEscape, 'u', highHex1);
  on(highHex1, HEX_DIGITS, (hex + 1) | LONE_SURROGATE);
  on(highHex1, 'dD', highHexD);
  on(highHexD, BEFORE_HALVES, hex3 | LONE_SURROGATE);
  on(highHexD, HIGH, high3 | LONE_SURROGATE);
  on(highHexD, LOW, hex3);
}

/** `rest` is the word without its first letter. Its states have consecutive numbers. */
function addWord(on: On, first: number, rest: string): void {
  for (let index = 0; index < rest.length; index++) {
    const isLast = index === rest.length - 1;
    on(first + index, rest.charAt(index), isLast ? STATES.afterValue : first + index + 1);
  }
}

const BLANK = ' \t';
const NOT_ZERO = '123456789';
const DIGITS = `0${NOT_ZERO}`;
/** The digit after `\ud`. */
const BEFORE_HALVES = '01234567';
const HIGH = '89abAB';
const LOW = 'cdefCDEF';
const HEX_DIGITS = `${DIGITS}abcdefABCDEF`;

function numbered<Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name, index) => [name, index])) as Record<Name, number>;
}
