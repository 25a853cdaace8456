import { not } from './string-code.ts';
import * as wasm from './wasm-instructions.ts';

const { get, set, long } = wasm;
const [AND, OR] = [wasm.LONG_AND, wasm.LONG_OR];

// Parameters and local variables of `skipBlocks` in `block-code.ts`.
export const [AT, TO, DEPTH, DEEPEST, PLACE, LENGTH] = [0, 1, 2, 3, 4, 5];
/** Masks of characters outside strings. */
export const [BRACKETS, CLOSERS, COMMAS, COLONS, DIGITS, POINTS, MINUSES, ENDED] = [6, 7, 8, 9, 10, 11, 12, 13];
export const [QUOTES, STRINGS, STRUCTURE, REGION, SCALARS, REST, OBJECTS, BIT] = [14, 15, 16, 17, 18, 19, 20, 21];
/** 1 if the character before the block is of this kind, otherwise 0. */
export const [AFTER_OPENER, AFTER_CLOSER, AFTER_COMMA] = [22, 23, 24];
export const [STARTS, KEYS, WRONG] = [25, 26, 27];
export const VECTORS = [28, 29, 30, 31];

export const without = (local: number) => [...get(local), ...not(), ...AND];
export const after = (local: number) => [...get(local), ...long(1n), ...wasm.LONG_SHIFT_LEFT];
export const limitToRegion = (local: number) => [...get(local), ...get(REGION), ...AND, ...set(local)];
export const markWrong = () => [...get(WRONG), ...OR, ...set(WRONG)];

/** Four letters as one little-endian number. */
export function word(letters: string): number {
  return Buffer.from(letters).readInt32LE();
}
