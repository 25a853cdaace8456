import { MAX_DEPTH, MEMORY } from '../memory.ts';
import { ACTIONS, LONE_SURROGATE, STATES } from '../states.ts';
import {
  ADD,
  AND,
  AT_MOST_IN_16,
  BITS_OF_16,
  BLOCK,
  body,
  branch,
  branchIf,
  ELSE,
  END,
  EQUAL,
  get,
  I32,
  IF,
  IS_ZERO,
  LESS,
  LOOP,
  load,
  load16,
  loadByte,
  MORE,
  NOT_LESS,
  number,
  OR,
  OR_16,
  SAME_IN_16,
  SELECT,
  SHIFT_LEFT,
  SUBTRACT,
  SUBTRACT_16,
  set,
  sixteen,
  store,
  storeByte,
  TRAILING_ZEROS,
  tee,
  V128,
  XOR,
} from './wasm-instructions.ts';

// Parameters and locals.
const STATE = 0;
const AT = 1;
const TO = 2;
/** In `walkAndRecord`. */
const SHIFT = 3;
/** In `walkAndLeave`. */
const NEXT_BLOCK = 3;
const DEPTH = 4;
const DEEPEST = 5;
const FLAGS = 6;
const COUNT = 7;
const START = 8;
const BYTES = 9;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const ZERO = 0x30;
const LETTER_U = 0x75;

const LOCALS = [
  [5, I32],
  [1, V128],
] as const;

/**
 * A function `(state, at, to, nextBlock)` that runs the table of `states.ts` over the bytes and returns the state after
 * them. It stops where `skipString` or `skipBlocks` may be faster: in a long string, at an escape, and after a comma
 * from `nextBlock` on. It stores the position, and everything else but the state, in memory.
 *
 * `stack` holds, for each open array or object, the state after a comma.
 */
export const walkAndLeave = () => body(LOCALS, walk({ noting: [], leaves: true }));

/**
 * A function `(state, at, to, shift)` that runs the table to the end, and records the positions of commas and braces,
 * with `shift` added to them.
 */
export const walkAndRecord = () => body(LOCALS, walk({ noting: record(), leaves: false }));

/** One bit for each of sixteen bytes that is a quote, a backslash or a control character. */
const endsOfString = () => [
  ...[...get(AT), ...load16(0), ...set(BYTES)],
  ...[...get(BYTES), ...sixteen(QUOTE), ...SAME_IN_16],
  ...[...get(BYTES), ...sixteen(BACKSLASH), ...SAME_IN_16, ...OR_16],
  ...[...get(BYTES), ...sixteen(SPACE - 1), ...AT_MOST_IN_16, ...OR_16],
  ...BITS_OF_16,
];

/** One bit for each of sixteen bytes that is not a digit. */
const endsOfDigits = () => [
  ...[...get(AT), ...load16(0), ...sixteen(ZERO), ...SUBTRACT_16, ...sixteen(9), ...AT_MOST_IN_16],
  ...[...BITS_OF_16, ...number(0xffff), ...XOR],
];

/** Moves AT to the first byte whose bit is set. May read beyond TO, but never beyond the memory. */
const skipTo = (bits: () => number[], leaves: boolean) => [
  ...LOOP,
  ...[...bits(), ...tee(FLAGS), ...IS_ZERO, ...IF],
  ...[...get(AT), ...number(16), ...ADD, ...tee(AT), ...get(TO), ...LESS, ...(leaves ? branchIf(5) : branchIf(1))],
  ...[...branch(5), ...END],
  ...END,
  ...[...get(AT), ...get(FLAGS), ...TRAILING_ZEROS, ...ADD, ...tee(AT), ...get(TO), ...NOT_LESS, ...branchIf(3)],
];

/** Stops at an escape other than `\\u`, because `skipString` is faster there. */
const leaveAtEscape = () => [
  ...[...get(AT), ...loadByte(0), ...number(BACKSLASH), ...EQUAL, ...IF],
  ...[...get(AT), ...get(START), ...MORE],
  ...[...get(AT), ...loadByte(1), ...number(LETTER_U), ...EQUAL, ...IS_ZERO, ...AND, ...branchIf(4)],
  ...END,
];

const leaveAfterComma = () => [...get(AT), ...get(NEXT_BLOCK), ...NOT_LESS, ...branchIf(2)];

/** Records the position of the comma, brace or bracket before AT, if it belongs to the outermost level. */
const record = () => [
  ...[...get(DEPTH), ...number(2), ...LESS, ...IF],
  ...[...get(COUNT), ...number(MEMORY.maxPositions - 1), ...AND, ...number(2), ...SHIFT_LEFT],
  ...[...get(AT), ...number(1), ...SUBTRACT, ...get(SHIFT), ...ADD, ...store(MEMORY.positions)],
  ...[...get(COUNT), ...number(1), ...ADD, ...set(COUNT)],
  ...END,
];

const open = (noting: readonly number[]) => [
  ...[...get(DEPTH), ...number(1), ...ADD, ...tee(DEPTH), ...get(DEEPEST), ...MORE, ...IF],
  ...[...get(DEPTH), ...set(DEEPEST), ...get(DEPTH), ...number(MAX_DEPTH), ...MORE, ...IF],
  ...[...number(STATES.tooDeep), ...set(STATE), ...branch(3)],
  ...END,
  ...END,
  ...[...get(DEPTH), ...number(STATES.key), ...number(STATES.value)],
  ...[...get(STATE), ...number(ACTIONS.openObject), ...EQUAL, ...tee(FLAGS), ...SELECT, ...storeByte(MEMORY.stack)],
  ...[...number(STATES.firstKey), ...number(STATES.firstElement), ...get(FLAGS), ...SELECT, ...set(STATE)],
  ...noting,
  ...branch(1),
];

/** The state after a comma tells an object from an array, so a mismatched closer is detected. */
const close = () => [
  ...[...number(STATES.afterValue), ...number(STATES.invalid), ...get(DEPTH), ...loadByte(MEMORY.stack)],
  ...[
    ...number(STATES.key),
    ...number(STATES.value),
    ...get(STATE),
    ...number(ACTIONS.closeObject),
    ...EQUAL,
    ...SELECT,
  ],
  ...[...EQUAL, ...SELECT, ...set(STATE)],
  ...[...get(DEPTH), ...number(1), ...SUBTRACT, ...set(DEPTH)],
  ...branch(0),
];

/** Records the lone surrogate, and continues in the state that the flag was added to. */
const noteLoneSurrogate = () => [
  ...[...number(0), ...number(1), ...store(MEMORY.loneSurrogates)],
  ...[...get(STATE), ...number(LONE_SURROGATE - 1), ...AND, ...set(STATE), ...branch(1)],
];

/** `noting` is additional code that runs at each comma, brace and bracket. */
const walk = ({ noting, leaves }: { noting: readonly number[]; leaves: boolean }) => [
  ...[...number(0), ...load(MEMORY.depth), ...set(DEPTH), ...number(0), ...load(MEMORY.deepest), ...set(DEEPEST)],
  ...[...number(0), ...load(MEMORY.count), ...set(COUNT), ...get(AT), ...set(START)],
  ...[...BLOCK, ...LOOP],
  ...[...get(AT), ...get(TO), ...NOT_LESS, ...branchIf(1)],
  ...[...get(STATE), ...number(STATES.fraction + 1), ...LESS, ...IF],
  ...[...get(STATE), ...number(STATES.keyString + 1), ...LESS, ...IF],
  ...[...skipTo(endsOfString, leaves), ...(leaves ? leaveAtEscape() : [])],
  ...[...ELSE, ...skipTo(endsOfDigits, false), ...END],
  ...END,
  ...[...get(STATE), ...number(8), ...SHIFT_LEFT, ...get(AT), ...loadByte(0), ...OR, ...loadByte(MEMORY.table)],
  ...[...set(STATE), ...get(AT), ...number(1), ...ADD, ...set(AT)],
  ...[...get(STATE), ...number(ACTIONS.openObject), ...LESS, ...branchIf(0)],
  ...[...get(STATE), ...number(LONE_SURROGATE), ...NOT_LESS, ...IF, ...noteLoneSurrogate(), ...END],
  ...[...get(STATE), ...number(ACTIONS.comma), ...EQUAL, ...IF],
  ...[...noting, ...get(DEPTH), ...loadByte(MEMORY.stack), ...set(STATE), ...(leaves ? leaveAfterComma() : [])],
  ...[...branch(1), ...END],
  ...[...get(STATE), ...number(ACTIONS.closeObject), ...LESS, ...IF, ...open(noting), ...END],
  ...[...noting, ...close()],
  ...[...END, ...END],
  ...[...number(0), ...get(DEPTH), ...store(MEMORY.depth), ...number(0), ...get(DEEPEST), ...store(MEMORY.deepest)],
  ...[...number(0), ...get(COUNT), ...store(MEMORY.count), ...number(0), ...get(AT), ...store(MEMORY.at)],
  ...get(STATE),
];
