import { MAX_DEPTH, MEMORY } from '../memory.ts';
import { STATES } from '../states.ts';
import {
  AFTER_CLOSER,
  AFTER_COMMA,
  AFTER_OPENER,
  AT,
  after,
  BIT,
  BRACKETS,
  CLOSERS,
  COLONS,
  COMMAS,
  DEEPEST,
  DEPTH,
  DIGITS,
  ENDED,
  KEYS,
  LENGTH,
  limitToRegion,
  MINUSES,
  markWrong,
  OBJECTS,
  PLACE,
  POINTS,
  QUOTES,
  REGION,
  REST,
  SCALARS,
  STARTS,
  STRINGS,
  STRUCTURE,
  TO,
  VECTORS,
  WRONG,
  without,
  word,
} from './block-locals.ts';
import { followBrackets } from './bracket-code.ts';
import {
  anyControl,
  anyIn,
  BLOCK_BYTES,
  findEscaped,
  is,
  isSimpleEscape,
  loadBlock,
  mask,
  not,
  type Test,
} from './string-code.ts';
import * as wasm from './wasm-instructions.ts';

const { get, set, tee, long, number } = wasm;
const [AND, OR] = [wasm.LONG_AND, wasm.LONG_OR];

/**
 * A function `(at, to)` that checks JSON without whitespace, 64 bytes at a time. It starts after a comma, returns the
 * position that it has reached, and stores the state there in memory. It stops at anything that it does not handle:
 * whitespace, `\u` escapes, exponents, a token longer than a block. The table of `states.ts` handles these.
 *
 * Each mask has one bit per byte of the block, so one instruction tests a rule at 64 positions. For example, the mask
 * of the commas, shifted left by one, is the mask of the positions after a comma. Each block ends after a comma, colon
 * or bracket, so that no token extends into the next block.
 */
export const skipBlocks = () =>
  wasm.body(
    [
      [4, wasm.I32],
      [22, wasm.I64],
      [4, wasm.V128],
    ],
    [
      ...[...number(0), ...wasm.load(MEMORY.depth), ...set(DEPTH)],
      ...[...number(0), ...wasm.load(MEMORY.deepest), ...set(DEEPEST)],
      ...[...long(1n), ...set(AFTER_COMMA)],
      ...[...wasm.BLOCK, ...wasm.LOOP],
      ...[...get(AT), ...number(BLOCK_BYTES), ...wasm.ADD, ...get(TO), ...wasm.MORE, ...wasm.branchIf(1)],
      // The table handles the outermost level, and depths at which a block could exceed the limit.
      ...[...get(DEPTH), ...number(1), ...wasm.SUBTRACT, ...number(MAX_DEPTH - BLOCK_BYTES - 1), ...wasm.MORE],
      ...wasm.branchIf(1),
      ...loadBlock(AT, VECTORS),
      ...[...long(0n), ...tee(STRINGS), ...set(COLONS)],
      ...[...mask(VECTORS, is('"')), ...tee(QUOTES), ...wasm.LONG_IS_ZERO, ...wasm.IS_ZERO, ...wasm.IF],
      ...[...anyIn(VECTORS, is('\\')), ...anyControl(VECTORS), ...wasm.OR, ...wasm.IF, ...skipEscapes(), ...wasm.END],
      ...findStrings(),
      ...[...mask(VECTORS, is(':')), ...without(STRINGS), ...set(COLONS)],
      ...wasm.END,
      ...findStructure(),
      ...[...get(STRUCTURE), ...wasm.LONG_IS_ZERO, ...wasm.branchIf(1)],
      ...findScalars(),
      ...[...get(REST), ...wasm.LONG_IS_ZERO, ...wasm.IS_ZERO, ...wasm.IF, ...skipWords(), ...wasm.END],
      ...followBrackets(),
      ...testStructure(),
      ...[...get(OBJECTS), ...get(COLONS), ...OR, ...wasm.LONG_IS_ZERO, ...wasm.IS_ZERO, ...wasm.IF],
      ...[...testKeys(), ...wasm.END],
      ...testNumbers(),
      ...[...get(WRONG), ...wasm.LONG_IS_ZERO, ...wasm.IS_ZERO, ...wasm.IF],
      ...[...number(0), ...number(STATES.invalid), ...wasm.store(MEMORY.state), ...get(TO), ...wasm.RETURN],
      ...wasm.END,
      ...nextBlock(),
      ...wasm.branch(0),
      ...[...wasm.END, ...wasm.END],
      ...[...number(0), ...get(DEPTH), ...wasm.store(MEMORY.depth)],
      ...[...number(0), ...get(DEEPEST), ...wasm.store(MEMORY.deepest)],
      ...[...number(0), ...stateAfter(), ...wasm.store(MEMORY.state)],
      ...get(AT),
    ],
  );

/** Removes escaped quotes from QUOTES. Stops at control characters and at `\\u`. */
const skipEscapes = () => [
  ...[...anyControl(VECTORS), ...wasm.branchIf(3)],
  ...[...mask(VECTORS, is('\\')), ...set(BIT), ...findEscaped(BIT), ...tee(REST)],
  ...[...mask(VECTORS, isSimpleEscape), ...not(), ...AND, ...wasm.LONG_IS_ZERO, ...wasm.IS_ZERO, ...wasm.branchIf(3)],
  ...[...get(QUOTES), ...without(REST), ...set(QUOTES)],
];

/** STRINGS: from each opening quote to the byte before its closing quote. Each bit is the XOR of QUOTES up to there. */
const findStrings = () => [
  ...[...get(QUOTES), ...set(STRINGS)],
  ...[1n, 2n, 4n, 8n, 16n, 32n].flatMap((distance) => [
    ...[
      ...get(STRINGS),
      ...get(STRINGS),
      ...long(distance),
      ...wasm.LONG_SHIFT_LEFT,
      ...wasm.LONG_XOR,
      ...set(STRINGS),
    ],
  ]),
];

/** `{` and `[` differ in one bit only, and so do `}` and `]`. */
const isBracket: Test = (vector) => [
  ...[...get(vector), ...wasm.sixteen(0x20), ...wasm.OR_16, ...wasm.sixteen(0x7b), ...wasm.SAME_IN_16],
  ...[...get(vector), ...wasm.sixteen(0x20), ...wasm.OR_16, ...wasm.sixteen(0x7d), ...wasm.SAME_IN_16, ...wasm.OR_16],
];

const isDigit: Test = (vector) => [
  ...[...get(vector), ...wasm.sixteen(0x30), ...wasm.SUBTRACT_16, ...wasm.sixteen(9), ...wasm.AT_MOST_IN_16],
];

/** REGION: all bits up to the last comma, colon or bracket. */
const findStructure = () => [
  ...[...mask(VECTORS, isBracket), ...without(STRINGS), ...tee(BRACKETS)],
  ...[...mask(VECTORS, is(',')), ...without(STRINGS), ...tee(COMMAS), ...OR],
  ...[...get(COLONS), ...OR, ...set(STRUCTURE)],
  ...[...long(-1n), ...get(STRUCTURE), ...wasm.LONG_LEADING_ZEROS, ...wasm.LONG_SHIFT_RIGHT, ...set(REGION)],
];

const findScalars = () => [
  ...[...get(REGION), ...without(STRINGS), ...without(QUOTES), ...without(STRUCTURE), ...tee(SCALARS)],
  ...[...mask(VECTORS, isDigit), ...get(SCALARS), ...AND, ...tee(DIGITS), ...not(), ...AND],
  ...[...mask(VECTORS, is('.')), ...get(SCALARS), ...AND, ...tee(POINTS), ...not(), ...AND],
  ...[...set(REST), ...long(0n), ...set(MINUSES)],
];

/** Skips minuses, and `true`, `false` and `null` where they are whole tokens. Stops at anything else. */
const skipWords = () => [
  ...[
    ...get(REST),
    ...mask(VECTORS, is('-')),
    ...get(SCALARS),
    ...AND,
    ...tee(MINUSES),
    ...not(),
    ...AND,
    ...set(REST),
  ],
  ...[...wasm.BLOCK, ...wasm.LOOP, ...get(REST), ...wasm.LONG_IS_ZERO, ...wasm.branchIf(1)],
  ...[...get(AT), ...get(REST), ...wasm.LONG_TRAILING_ZEROS, ...wasm.TO_NUMBER, ...wasm.ADD, ...tee(PLACE)],
  ...[...wasm.loadFour(0), ...tee(LENGTH), ...number(word('true')), ...wasm.EQUAL],
  ...[...get(LENGTH), ...number(word('null')), ...wasm.EQUAL, ...wasm.OR, ...wasm.IF],
  ...[...number(4), ...set(LENGTH)],
  ...wasm.ELSE,
  ...[...get(LENGTH), ...number(word('fals')), ...wasm.EQUAL, ...wasm.IS_ZERO, ...wasm.branchIf(5)],
  ...[...get(PLACE), ...wasm.loadByte(4), ...number(0x65), ...wasm.EQUAL, ...wasm.IS_ZERO, ...wasm.branchIf(5)],
  ...[...number(5), ...set(LENGTH)],
  ...wasm.END,
  // The word has the lowest bits of REST. No other character of a scalar may touch it.
  ...[...get(REST), ...long(0n), ...get(REST), ...wasm.LONG_SUBTRACT, ...AND, ...tee(BIT)],
  ...[...after(SCALARS), ...AND],
  ...[...get(BIT), ...get(LENGTH), ...wasm.TO_LONG, ...wasm.LONG_SHIFT_LEFT, ...tee(ENDED), ...get(SCALARS), ...AND],
  ...[...OR, ...wasm.LONG_IS_ZERO, ...wasm.IS_ZERO, ...wasm.branchIf(4)],
  ...[...get(REST), ...get(ENDED), ...get(BIT), ...wasm.LONG_SUBTRACT, ...not(), ...AND, ...set(REST)],
  ...[...wasm.branch(0), ...wasm.END, ...wasm.END],
];

/** A comma, colon or closing bracket must follow each value, and nothing else, except the closers of `[]` and `{}`. */
const testStructure = () => [
  ...limitToRegion(QUOTES),
  ...[...get(QUOTES), ...without(STRINGS), ...get(CLOSERS), ...OR, ...long(1n), ...wasm.LONG_SHIFT_LEFT],
  ...[
    ...after(SCALARS),
    ...without(SCALARS),
    ...OR,
    ...get(AFTER_CLOSER),
    ...OR,
    ...get(REGION),
    ...AND,
    ...tee(ENDED),
  ],
  ...[...get(COMMAS), ...get(COLONS), ...OR, ...get(CLOSERS), ...OR, ...wasm.LONG_XOR],
  ...[
    ...get(CLOSERS),
    ...get(BRACKETS),
    ...without(CLOSERS),
    ...tee(BRACKETS),
    ...long(1n),
    ...wasm.LONG_SHIFT_LEFT,
    ...get(AFTER_OPENER),
    ...OR,
    ...tee(STARTS),
    ...AND,
    ...not(),
    ...AND,
  ],
  ...markWrong(),
];

/** In an object, a key must follow each comma and opening brace. A colon must follow each key, and nothing else. */
const testKeys = () => [
  ...[...after(COMMAS), ...get(AFTER_COMMA), ...OR, ...get(STARTS), ...without(CLOSERS), ...OR],
  ...[...get(OBJECTS), ...AND, ...get(REGION), ...AND, ...tee(KEYS), ...without(QUOTES), ...markWrong()],
  // Adding the first bit of a run of bits carries to the position after the run: here, the closing quote.
  ...[...get(STRINGS), ...get(KEYS), ...wasm.LONG_ADD, ...without(STRINGS), ...long(1n), ...wasm.LONG_SHIFT_LEFT],
  ...[...get(REGION), ...AND, ...get(COLONS), ...wasm.LONG_XOR, ...markWrong()],
];

/** A minus only at the start, at most one point with digits on both sides, and no digit after a leading zero. */
const testNumbers = () => [
  ...[...get(SCALARS), ...after(SCALARS), ...not(), ...AND, ...set(STARTS)],
  ...[...get(MINUSES), ...without(STARTS), ...markWrong()],
  ...[...after(MINUSES), ...after(POINTS), ...OR, ...without(DIGITS), ...markWrong()],
  ...[...get(POINTS), ...after(DIGITS), ...not(), ...AND, ...markWrong()],
  // Adding the first bit of a fraction carries to the position after it, which must not be another point.
  ...[...get(DIGITS), ...after(POINTS), ...wasm.LONG_ADD, ...without(DIGITS), ...get(POINTS), ...AND, ...markWrong()],
  ...[...mask(VECTORS, is('0')), ...get(DIGITS), ...AND, ...get(STARTS), ...after(MINUSES), ...OR, ...AND],
  ...[...long(1n), ...wasm.LONG_SHIFT_LEFT, ...get(DIGITS), ...AND, ...markWrong()],
];

/** Moves AT past REGION, and notes the kind of the character before it. */
const nextBlock = () => [
  ...[...get(AT), ...number(BLOCK_BYTES), ...get(REGION), ...wasm.LONG_LEADING_ZEROS, ...wasm.TO_NUMBER],
  ...[...wasm.SUBTRACT, ...wasm.ADD, ...set(AT)],
  ...[...get(REGION), ...get(REGION), ...long(1n), ...wasm.LONG_SHIFT_RIGHT, ...wasm.LONG_XOR, ...set(BIT)],
  ...[
    [BRACKETS, AFTER_OPENER],
    [CLOSERS, AFTER_CLOSER],
    [COMMAS, AFTER_COMMA],
  ].flatMap(([local = 0, flag = 0]) => [
    ...[...get(local), ...get(BIT), ...AND, ...wasm.LONG_IS_ZERO, ...wasm.IS_ZERO, ...wasm.TO_LONG, ...set(flag)],
  ]),
];

const stateAfter = () => [
  ...[...get(DEPTH), ...wasm.loadByte(MEMORY.stack)],
  ...[...number(STATES.firstKey), ...number(STATES.firstElement)],
  ...[...get(DEPTH), ...wasm.loadByte(MEMORY.stack), ...number(STATES.key), ...wasm.EQUAL, ...wasm.SELECT],
  ...[...number(STATES.afterValue), ...number(STATES.value), ...get(AFTER_CLOSER), ...wasm.TO_NUMBER, ...wasm.SELECT],
  ...[...get(AFTER_OPENER), ...wasm.TO_NUMBER, ...wasm.SELECT],
  ...[...get(AFTER_COMMA), ...wasm.TO_NUMBER, ...wasm.SELECT],
];
