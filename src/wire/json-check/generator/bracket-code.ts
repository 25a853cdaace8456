import { MEMORY } from '../memory.ts';
import { STATES } from '../states.ts';
import {
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
  limitToRegion,
  MINUSES,
  markWrong,
  OBJECTS,
  PLACE,
  POINTS,
  REGION,
  REST,
  SCALARS,
  WRONG,
  word,
} from './block-locals.ts';
import { not } from './string-code.ts';
import * as wasm from './wasm-instructions.ts';

const { get, set, tee, long, number } = wasm;
const [AND, OR] = [wasm.LONG_AND, wasm.LONG_OR];

/**
 * Opens and closes arrays and objects. OBJECTS: the positions directly inside an object. REGION ends at the bracket
 * that closes the outermost value.
 */
export const followBrackets = () => [
  ...[...long(0n), ...set(WRONG)],
  ...[...isInObject(), ...set(OBJECTS), ...get(BRACKETS), ...set(REST), ...long(0n), ...set(CLOSERS)],
  ...[...wasm.BLOCK, ...wasm.LOOP, ...get(REST), ...wasm.LONG_IS_ZERO, ...wasm.branchIf(1)],
  ...[...get(AT), ...get(REST), ...wasm.LONG_TRAILING_ZEROS, ...wasm.TO_NUMBER, ...wasm.ADD, ...set(PLACE)],
  ...[...get(REST), ...long(0n), ...get(REST), ...wasm.LONG_SUBTRACT, ...AND, ...set(BIT)],
  ...skipToNextObject(),
  ...[...get(REST), ...get(BIT), ...wasm.LONG_XOR, ...set(REST)],
  ...[...get(PLACE), ...wasm.loadByte(0), ...number(4), ...wasm.AND, ...wasm.IF],
  ...[...get(CLOSERS), ...get(BIT), ...OR, ...set(CLOSERS)],
  // The state after a comma tells an object from an array.
  ...[
    ...get(DEPTH),
    ...wasm.loadByte(MEMORY.stack),
    ...stateAfterComma('}'),
    ...wasm.XOR,
    ...wasm.TO_LONG,
    ...markWrong(),
  ],
  ...[...get(DEPTH), ...number(1), ...wasm.SUBTRACT, ...tee(DEPTH), ...wasm.IS_ZERO, ...wasm.IF],
  ...[...after(BIT), ...long(1n), ...wasm.LONG_SUBTRACT, ...set(REGION)],
  ...[COMMAS, COLONS, BRACKETS, SCALARS, DIGITS, POINTS, MINUSES].flatMap(limitToRegion),
  ...wasm.branch(3),
  ...wasm.END,
  ...wasm.ELSE,
  ...[
    ...get(DEPTH),
    ...number(1),
    ...wasm.ADD,
    ...tee(DEPTH),
    ...stateAfterComma('{'),
    ...wasm.storeByte(MEMORY.stack),
  ],
  ...[...get(DEPTH), ...get(DEEPEST), ...get(DEPTH), ...get(DEEPEST), ...wasm.MORE, ...wasm.SELECT, ...set(DEEPEST)],
  ...wasm.END,
  // All bits above BIT now belong to another array or object.
  ...[...get(OBJECTS), ...isInObject(), ...get(OBJECTS), ...wasm.LONG_XOR],
  ...[...long(0n), ...after(BIT), ...wasm.LONG_SUBTRACT, ...AND, ...wasm.LONG_XOR, ...set(OBJECTS)],
  ...[...wasm.branch(0), ...wasm.END, ...wasm.END],
];

/**
 * Handles `},{` at PLACE in an array of objects in one step, because rows consist of it. The depth stays the same, and
 * only the comma and the opening brace belong to the array.
 */
const skipToNextObject = () => [
  ...[...get(PLACE), ...wasm.loadFour(0), ...number(0xffffff), ...wasm.AND, ...number(word('},{\0')), ...wasm.EQUAL],
  ...[...get(DEPTH), ...wasm.loadTwo(MEMORY.stack - 1), ...number(OBJECT_IN_ARRAY), ...wasm.EQUAL, ...wasm.AND],
  ...[...get(REST), ...get(BIT), ...long(2n), ...wasm.LONG_SHIFT_LEFT, ...tee(ENDED), ...AND],
  ...[...wasm.LONG_IS_ZERO, ...wasm.IS_ZERO, ...wasm.AND, ...wasm.IF],
  ...[...get(CLOSERS), ...get(BIT), ...OR, ...set(CLOSERS)],
  ...[...get(REST), ...get(BIT), ...wasm.LONG_XOR, ...get(ENDED), ...wasm.LONG_XOR, ...set(REST)],
  ...[...get(OBJECTS), ...after(BIT), ...get(ENDED), ...OR, ...not(), ...AND, ...set(OBJECTS)],
  ...[...wasm.branch(1), ...wasm.END],
];

/** The states after a comma of an array and of an object in it, as two bytes of the stack. */
const OBJECT_IN_ARRAY = STATES.value | (STATES.key << 8);

/** All bits if the innermost open value is an object, otherwise none. */
const isInObject = () => [
  ...[...long(0n), ...get(DEPTH), ...wasm.loadByte(MEMORY.stack), ...number(STATES.key), ...wasm.EQUAL],
  ...[...wasm.TO_LONG, ...wasm.LONG_SUBTRACT],
];

/** The state after a comma in the array or object whose bracket is at PLACE. */
const stateAfterComma = (curly: string) => [
  ...[...number(STATES.key), ...number(STATES.value)],
  ...[...get(PLACE), ...wasm.loadByte(0), ...number(curly.charCodeAt(0)), ...wasm.EQUAL, ...wasm.SELECT],
];
