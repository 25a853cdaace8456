import { MEMORY } from '../memory.ts';
import { STATES } from '../states.ts';
import { skipBlocks } from './block-code.ts';
import { skipString } from './string-code.ts';
import { walkAndLeave, walkAndRecord } from './walk-code.ts';
import * as wasm from './wasm-instructions.ts';

const { get, set, tee, call, number, I32 } = wasm;

/**
 * The WebAssembly module that checks JSON, written instruction by instruction. It exports `memory`, `run` and `record`.
 * `run(state, from, to, shift)` returns the state after the bytes between `from` and `to`. The number of open arrays
 * and objects stays in memory between runs. `record` does the same, and records the positions of commas and braces,
 * with `shift` added to them.
 *
 * JavaScript takes ten times as long: WebAssembly compares sixteen bytes at once, and it is machine code from the first
 * call on.
 */
export function createCheckCode(): Uint8Array {
  const bodies = [run(), walkAndRecord(), walkAndLeave(), skipString(), skipBlocks()];
  const types = [2, 0x60, 4, I32, I32, I32, I32, 1, I32, 0x60, 2, I32, I32, 1, I32];
  const exported = [3, ...wasm.name('memory'), 2, 0, ...wasm.name('run'), 0, 0, ...wasm.name('record'), 0, 1];
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...wasm.section(1, types),
    ...wasm.section(3, [bodies.length, 0, 0, 0, 1, 1]),
    ...wasm.section(5, [1, 1, MEMORY_PAGES, MEMORY_PAGES]),
    ...wasm.section(7, exported),
    ...wasm.section(10, [bodies.length, ...bodies.flat()]),
  ]);
}

const MEMORY_PAGES = 3;
const [WALK, SKIP_STRING, SKIP_BLOCKS] = [2, 3, 4];

// Parameters and locals.
const [STATE, AT, TO, NEXT_BLOCK, WAIT] = [0, 1, 2, 3, 4];

/** Runs the table byte by byte, and the shortcuts where they apply. */
const run = () =>
  wasm.body(
    [[1, I32]],
    [
      ...[...number(LEAST_BYTES), ...set(WAIT), ...get(AT), ...set(NEXT_BLOCK)],
      ...wasm.LOOP,
      // Near the end, a shortcut is not worth trying.
      ...[...get(TO), ...get(NEXT_BLOCK), ...get(AT), ...number(LEAST_BYTES), ...wasm.ADD, ...get(TO), ...wasm.MORE],
      ...[...wasm.SELECT, ...set(NEXT_BLOCK)],
      ...[...get(STATE), ...get(AT), ...get(TO), ...get(NEXT_BLOCK), ...call(WALK), ...set(STATE)],
      ...[...number(0), ...wasm.load(MEMORY.at), ...tee(AT), ...get(TO), ...wasm.NOT_LESS, ...wasm.IF],
      ...[...get(STATE), ...wasm.RETURN],
      ...wasm.END,
      ...[...get(STATE), ...number(STATES.keyString + 1), ...wasm.LESS, ...wasm.IF],
      ...[...get(AT), ...get(TO), ...call(SKIP_STRING), ...set(AT), ...wasm.branch(1)],
      ...wasm.END,
      ...skipAfterComma(),
      ...wasm.branch(0),
      ...wasm.END,
      ...get(STATE),
    ],
  );

/** Doubles the wait after each attempt that did not get far: JSON with some whitespace usually has a lot of it. */
const skipAfterComma = () => [
  ...[...get(AT), ...get(WAIT), ...wasm.ADD, ...set(NEXT_BLOCK)],
  ...[
    ...get(AT),
    ...get(TO),
    ...call(SKIP_BLOCKS),
    ...set(AT),
    ...number(0),
    ...wasm.load(MEMORY.state),
    ...set(STATE),
  ],
  ...[...number(LEAST_BYTES / 2), ...get(WAIT), ...get(AT), ...get(NEXT_BLOCK), ...wasm.MORE, ...wasm.SELECT],
  ...[...number(1), ...wasm.SHIFT_LEFT, ...tee(WAIT), ...get(AT), ...wasm.ADD, ...set(NEXT_BLOCK)],
];

const LEAST_BYTES = 256;
