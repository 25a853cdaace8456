import * as wasm from './wasm-instructions.ts';

const { get, set, tee, long } = wasm;

/** The number of bytes that are examined at once. A mask has one bit for each. */
export const BLOCK_BYTES = 64;

// Parameters and locals of `skipString`.
const [AT, TO] = [0, 1];
const [ENDS, SLASHES, ESCAPED, SIMPLE, STOP] = [2, 3, 4, 5, 6];
const [FIRST, SECOND, THIRD, FOURTH] = [7, 8, 9, 10];
const VECTORS = [FIRST, SECOND, THIRD, FOURTH];

/**
 * A function `(at, to)` that returns the first position in a string, from `at` on, that the table must handle: a quote,
 * a control character, or a `\u` or invalid escape. It examines only whole blocks, so it may return an earlier
 * position.
 */
export const skipString = () =>
  wasm.body(
    [
      [5, wasm.I64],
      [4, wasm.V128],
    ],
    [
      ...wasm.BLOCK,
      ...wasm.LOOP,
      ...[...get(AT), ...wasm.number(BLOCK_BYTES), ...wasm.ADD, ...get(TO), ...wasm.MORE, ...wasm.branchIf(1)],
      ...loadBlock(AT, VECTORS),
      // Most blocks of a long text contain nothing special, and this test needs no mask.
      ...[...anyIn(VECTORS, isSpecial), ...wasm.IS_ZERO, ...wasm.IF],
      ...[...get(AT), ...wasm.number(BLOCK_BYTES), ...wasm.ADD, ...set(AT), ...wasm.branch(1)],
      ...wasm.END,
      ...[...mask(VECTORS, isEnd), ...set(ENDS)],
      ...[...mask(VECTORS, is('\\')), ...tee(SLASHES), ...wasm.LONG_IS_ZERO, ...wasm.IF],
      ...[...get(ENDS), ...set(STOP)],
      ...wasm.ELSE,
      ...[...findEscaped(SLASHES), ...set(ESCAPED), ...mask(VECTORS, isSimpleEscape), ...set(SIMPLE)],
      // An escaped quote does not end the string. An escape that is not simple stops the scan at its backslash.
      ...[...get(ENDS), ...get(ESCAPED), ...not(), ...wasm.LONG_AND],
      ...[...get(ESCAPED), ...get(SIMPLE), ...not(), ...wasm.LONG_AND, ...long(1n), ...wasm.LONG_SHIFT_RIGHT],
      ...[...wasm.LONG_OR, ...set(STOP)],
      // So does a backslash in the last byte of the block.
      ...[...get(STOP), ...get(SLASHES), ...get(ESCAPED), ...not(), ...wasm.LONG_AND],
      ...[...long(LAST_BIT), ...wasm.LONG_AND, ...wasm.LONG_OR, ...set(STOP)],
      ...wasm.END,
      ...[...get(STOP), ...wasm.LONG_IS_ZERO, ...wasm.IF],
      ...[...get(AT), ...wasm.number(BLOCK_BYTES), ...wasm.ADD, ...set(AT), ...wasm.branch(1)],
      ...wasm.END,
      ...[...get(AT), ...get(STOP), ...wasm.LONG_TRAILING_ZEROS, ...wasm.TO_NUMBER, ...wasm.ADD, ...set(AT)],
      // If the scan stopped at the last byte of the block, the next block begins with that byte.
      ...[...get(STOP), ...long(LAST_BIT), ...wasm.LONG_XOR, ...wasm.LONG_IS_ZERO, ...wasm.branchIf(0)],
      ...wasm.END,
      ...wasm.END,
      ...get(AT),
    ],
  );

const LAST_BIT = -(1n << 63n);
const ODD_BITS = -0x5555555555555556n;

/**
 * The characters after a backslash that is not itself escaped. Subtracting runs of backslashes from the odd bits
 * borrows through each run, which tells runs of even and odd length apart.
 */
export const findEscaped = (slashes: number) => [
  ...[...get(slashes), ...long(1n), ...wasm.LONG_SHIFT_LEFT, ...long(ODD_BITS), ...wasm.LONG_OR],
  ...[...get(slashes), ...wasm.LONG_SUBTRACT, ...long(ODD_BITS), ...wasm.LONG_XOR],
  ...[...get(slashes), ...wasm.LONG_XOR],
];

export const not = () => [...long(-1n), ...wasm.LONG_XOR];

/** Loads the bytes of a block from the address in a local. */
export const loadBlock = (from: number, vectors: readonly number[]) =>
  vectors.flatMap((vector, index) => [...get(from), ...wasm.load16(index * 16), ...set(vector)]);

export type Test = (vector: number) => number[];

export const is =
  (character: string): Test =>
  (vector) => [...get(vector), ...wasm.sixteen(character.charCodeAt(0)), ...wasm.SAME_IN_16];

/**
 * The characters that may follow a backslash, except `u`. The table has the only character of the set with these low
 * four bits; `"`, `b` and `r` have the same ones.
 */
export const isSimpleEscape: Test = (vector) => [
  ...[...wasm.sixteenOf(toTable('\\/bfnt')), ...get(vector), ...wasm.sixteen(0x0f), ...wasm.AND_16, ...wasm.LOOK_UP_16],
  ...[...get(vector), ...wasm.SAME_IN_16],
  ...[...is('"')(vector), ...wasm.OR_16, ...is('r')(vector), ...wasm.OR_16],
];

/** All other entries have other low bits than their index, so no character equals them. */
function toTable(characters: string): number[] {
  const table = [1, ...Array<number>(15).fill(0)];
  for (const byte of Buffer.from(characters)) table[byte & 0x0f] = byte;
  return table;
}

const LAST_CONTROL = 0x1f;

const isControl: Test = (vector) => [...get(vector), ...wasm.sixteen(LAST_CONTROL), ...wasm.AT_MOST_IN_16];

const isEnd: Test = (vector) => [...is('"')(vector), ...isControl(vector), ...wasm.OR_16];

const isSpecial: Test = (vector) => [...isEnd(vector), ...is('\\')(vector), ...wasm.OR_16];

/** Whether any byte passes the test. */
export const anyIn = (vectors: readonly number[], test: Test) => [
  ...vectors.flatMap((vector, index) => [...test(vector), ...(index === 0 ? [] : wasm.OR_16)]),
  ...wasm.ANY_IN_16,
];

/** Whether any byte is a control character, which is so if the smallest one is. */
export const anyControl = (vectors: readonly number[]) => [
  ...vectors.flatMap((vector, index) => [...get(vector), ...(index === 0 ? [] : wasm.LEAST_IN_16)]),
  ...[...wasm.sixteen(LAST_CONTROL), ...wasm.AT_MOST_IN_16, ...wasm.ANY_IN_16],
];

/** The mask of the bytes that pass the test. */
export const mask = ([first = 0, second = 0, third = 0, fourth = 0]: readonly number[], test: Test) => {
  const bits = (low: number, high: number) => [
    ...[...test(low), ...wasm.BITS_OF_16, ...test(high), ...wasm.BITS_OF_16],
    ...[...wasm.number(16), ...wasm.SHIFT_LEFT, ...wasm.OR, ...wasm.TO_LONG],
  ];
  return [...bits(first, second), ...bits(third, fourth), ...long(32n), ...wasm.LONG_SHIFT_LEFT, ...wasm.LONG_OR];
};
