/** The WebAssembly instructions that `module-code.ts` and its parts use, each as its bytes. */

export const I32 = 0x7f;
export const I64 = 0x7e;
export const V128 = 0x7b;

export const get = (local: number) => [0x20, local];
export const set = (local: number) => [0x21, local];
export const tee = (local: number) => [0x22, local];
export const call = (index: number) => [0x10, index];
/** For non-negative numbers. */
export const number = (value: number) => [0x41, ...signed(BigInt(value))];
export const long = (value: bigint) => [0x42, ...signed(value)];
export const load = (offset: number) => [0x28, 2, ...unsigned(offset)];
/** Loads four bytes from any address, aligned or not. */
export const loadFour = (offset: number) => [0x28, 0, ...unsigned(offset)];
export const loadTwo = (offset: number) => [0x2f, 0, ...unsigned(offset)];
export const store = (offset: number) => [0x36, 2, ...unsigned(offset)];
export const loadByte = (offset: number) => [0x2d, 0, ...unsigned(offset)];
export const storeByte = (offset: number) => [0x3a, 0, ...unsigned(offset)];
export const branch = (level: number) => [0x0c, level];
export const branchIf = (level: number) => [0x0d, level];
export const [BLOCK, LOOP, IF, ELSE, END] = [[0x02, 0x40], [0x03, 0x40], [0x04, 0x40], [0x05], [0x0b]] as const;
export const [RETURN, SELECT] = [[0x0f], [0x1b]] as const;

export const [IS_ZERO, EQUAL, LESS, MORE, NOT_LESS] = [[0x45], [0x46], [0x49], [0x4b], [0x4f]] as const;
export const [ADD, SUBTRACT, AND, OR, XOR, SHIFT_LEFT] = [[0x6a], [0x6b], [0x71], [0x72], [0x73], [0x74]] as const;
export const TRAILING_ZEROS = [0x68];

// Instructions on 64 bits at once. A mask has one bit for each byte of a block.
export const [LONG_IS_ZERO, TO_LONG, TO_NUMBER] = [[0x50], [0xad], [0xa7]] as const;
export const [LONG_LEADING_ZEROS, LONG_TRAILING_ZEROS] = [[0x79], [0x7a]] as const;
export const [LONG_ADD, LONG_SUBTRACT, LONG_AND, LONG_OR, LONG_XOR] = [[0x7c], [0x7d], [0x83], [0x84], [0x85]] as const;
export const [LONG_SHIFT_LEFT, LONG_SHIFT_RIGHT] = [[0x86], [0x88]] as const;

// Instructions on sixteen bytes at once.
export const load16 = (offset: number) => [0xfd, 0x00, 0, ...unsigned(offset)];
export const sixteen = (byte: number) => sixteenOf(Array<number>(16).fill(byte));
export const sixteenOf = (bytes: readonly number[]) => [0xfd, 0x0c, ...bytes];
/** Replaces each index by the byte at that position of a table. Takes the table, then the indexes. */
export const LOOK_UP_16 = [0xfd, 0x0e];
export const AND_16 = [0xfd, 0x4e];
export const SAME_IN_16 = [0xfd, 0x23];
/** Unsigned. Cheaper than less-than. */
export const AT_MOST_IN_16 = [0xfd, 0x2a];
export const LEAST_IN_16 = [0xfd, 0x77];
export const OR_16 = [0xfd, 0x50];
export const ANY_IN_16 = [0xfd, 0x53];
export const SUBTRACT_16 = [0xfd, 0x71];
export const BITS_OF_16 = [0xfd, 0x64];

/** One function's declarations of locals and its instructions. */
export function body(locals: readonly (readonly [count: number, type: number])[], code: readonly number[]): number[] {
  const content = [...unsigned(locals.length), ...locals.flat(), ...code, ...END];
  return [...unsigned(content.length), ...content];
}

export function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

export function name(text: string): number[] {
  return [text.length, ...Buffer.from(text)];
}

function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

function signed(value: bigint): number[] {
  if (value >= -64n && value < 64n) return [Number(value & 127n)];
  return [Number(value & 127n) | 128, ...signed(value >> 7n)];
}
