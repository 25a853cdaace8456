import { isUtf8 } from 'node:buffer';
import { type Frame, frameLength } from '../frame.ts';
import { createUtf8Check } from '../json/utf8.ts';
import { MAX_DEPTH, MEMORY } from './memory.ts';
import { checkModule } from './module.ts';
import { ACTIONS, createTransitions, FINAL_STATES, LONE_SURROGATE, STATES } from './states.ts';

export { MAX_DEPTH };

/** The result of checking one JSON value. */
export interface CheckedJson {
  /**
   * How deep it is nested: 0 for a number, 1 for `[]`. `INVALID` if it is not JSON. More than `MAX_DEPTH` if it is
   * nested deeper than that; the rest is then not checked.
   */
  readonly depth: number;
  /** Whether a string contains an escaped lone surrogate, such as `\ud800`. */
  readonly hasLoneSurrogates: boolean;
}

/** The bytes are not exactly one JSON value on one line. */
export const INVALID = -1;

/** Checks the bytes between two positions of a frame. Accepts every byte above 127 in strings, valid UTF-8 or not. */
export function checkJson(frame: Frame, from = 0, to = frameLength(frame)): CheckedJson {
  const machine = machineFor(to - from);
  machine.begin();
  const [first] = frame;
  if (frame.length === 1 && first !== undefined)
    return checkedAfter(machine, machine.feed(STATES.value, first, from, to));
  return checkedAfter(machine, feedPieces(machine, frame, { from, to, isValidPiece: () => true }));
}

/** Like `checkJson`, for a frame that must be UTF-8 as a whole. `INVALID` if it is not. */
export function checkUtf8Json(frame: Frame, from: number, to: number): CheckedJson {
  const machine = machineFor(to - from);
  machine.begin();
  const [first] = frame;
  if (frame.length === 1 && first !== undefined)
    return isUtf8(first) ? checkedAfter(machine, machine.feed(STATES.value, first, from, to)) : NOT_JSON;
  // Both checks run on each piece while it is in the processor's cache.
  const utf8 = createUtf8Check();
  const state = feedPieces(machine, frame, { from, to, isValidPiece: utf8.push });
  return utf8.isComplete() ? checkedAfter(machine, state) : NOT_JSON;
}

const NOT_JSON: CheckedJson = { depth: INVALID, hasLoneSurrogates: false };

interface PieceRange {
  readonly from: number;
  readonly to: number;
  /** Returns false if this piece makes the frame invalid. */
  readonly isValidPiece: (piece: Buffer) => boolean;
}

function feedPieces(machine: Machine, frame: Frame, { from, to, isValidPiece }: PieceRange): number {
  let state = STATES.value;
  let offset = 0;
  for (const piece of frame) {
    if (!isValidPiece(piece)) return STATES.invalid;
    const start = Math.max(from - offset, 0);
    const end = Math.min(to - offset, piece.length);
    if (start < end) state = machine.feed(state, piece, start, end);
    offset += piece.length;
  }
  return state;
}

function checkedAfter(machine: Machine, state: number): CheckedJson {
  return { depth: depthAfter(machine, state), hasLoneSurrogates: machine.hasLoneSurrogates() };
}

function depthAfter(machine: Machine, state: number): number {
  if (state === STATES.tooDeep) return MAX_DEPTH + 1;
  return machine.isClosed() && FINAL_STATES.has(state) ? machine.deepest() : INVALID;
}

/** Returns false for invalid JSON. Short messages are not checked, because each level takes at least two bytes. */
export function isNestedDeeper(frame: Frame, maxDepth: number): boolean {
  return frameLength(frame) > 2 * maxDepth && checkJson(frame).depth > maxDepth;
}

/** The positions of an object's members. Valid only until the next check: all results share the same memory. */
export interface MemberPositions {
  /** The positions of the object's own braces and commas, not of nested ones. Entries from `count` on are undefined. */
  readonly positions: Int32Array;
  readonly count: number;
}

/**
 * Checks the JSON value between two positions and finds its members in the same pass. Undefined if it is not JSON on
 * one line, is nested deeper than `MAX_DEPTH` or has dozens of members.
 */
export function findMemberPositions(bytes: Buffer, from: number, to: number): MemberPositions | undefined {
  const machine = machineFor(to - from);
  machine.begin();
  const depth = depthAfter(machine, machine.record(STATES.value, bytes, from, to));
  const count = machine.count();
  return depth === INVALID || depth > MAX_DEPTH || count > MEMORY.maxPositions
    ? undefined
    : { positions: machine.positions, count };
}

/** One run of the state machine. There is only one at a time. */
export interface Machine {
  begin(): void;
  /** Returns the state after these bytes. */
  feed: Feed;
  /** Does the same, and records the positions of commas, braces and brackets of the outermost level. */
  record: Feed;
  isClosed(): boolean;
  deepest(): number;
  hasLoneSurrogates(): boolean;
  /** The recorded positions. */
  readonly positions: Int32Array;
  /** Returns how many positions were found. Above `MEMORY.maxPositions`, some are overwritten. */
  count(): number;
}

type Feed = (state: number, bytes: Buffer, start: number, end: number) => number;

/** A command that exchanges a few short messages does not pay for compiling the WebAssembly module. */
const WASM_THRESHOLD_BYTES = 8_192;
let scriptMachine: Machine | undefined;
let wasmMachine: Machine | undefined;
let checkedBytes = 0;

function machineFor(length: number): Machine {
  if (wasmMachine !== undefined) return wasmMachine;
  checkedBytes += length;
  if (checkedBytes > WASM_THRESHOLD_BYTES) {
    wasmMachine = createMachine();
    return wasmMachine;
  }
  scriptMachine ??= createScriptMachine();
  return scriptMachine;
}

function createMachine(): Machine {
  try {
    return createWasmMachine();
  } catch {
    // No WebAssembly (`--jitless`), a processor without these instructions, or no address space left for its memory.
    return createScriptMachine();
  }
}

export function createWasmMachine(): Machine {
  const { Instance, Module } = (globalThis as unknown as { WebAssembly: WebAssemblyInterface }).WebAssembly;
  const { memory, ...steps } = new Instance(new Module(Buffer.from(checkModule(), 'base64'))).exports;
  const bytes = new Uint8Array(memory.buffer);
  const words = new Int32Array(memory.buffer);
  bytes.set(transitions(), MEMORY.table);
  bytes[MEMORY.stack] = STATES.invalid;
  const inWindows =
    (step: CheckExports['run']): Feed =>
    (state, piece, start, end) => {
      let next = state;
      for (let at = start; at < end; at += MEMORY.windowBytes) {
        const to = Math.min(end, at + MEMORY.windowBytes);
        bytes.set(at === 0 && to === piece.length ? piece : piece.subarray(at, to), MEMORY.window);
        next = step(next, MEMORY.window, MEMORY.window + to - at, at - MEMORY.window);
      }
      return next;
    };
  return {
    begin() {
      words[MEMORY.depth / 4] = 0;
      words[MEMORY.deepest / 4] = 0;
      words[MEMORY.loneSurrogates / 4] = 0;
      words[MEMORY.count / 4] = 0;
    },
    feed: inWindows(steps.run),
    record: inWindows(steps.record),
    isClosed: () => words[MEMORY.depth / 4] === 0,
    deepest: () => words[MEMORY.deepest / 4] ?? 0,
    hasLoneSurrogates: () => words[MEMORY.loneSurrogates / 4] === 1,
    positions: words.subarray(MEMORY.positions / 4, MEMORY.positions / 4 + MEMORY.maxPositions),
    count: () => words[MEMORY.count / 4] ?? 0,
  };
}

/** The part of WebAssembly that we use. The types of Node 20 do not declare it. */
interface WebAssemblyInterface {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: CheckExports };
}

interface CheckExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly run: (state: number, from: number, to: number, shift: number) => number;
  readonly record: CheckExports['run'];
}

let knownTransitions: Uint8Array | undefined;

function transitions(): Uint8Array {
  knownTransitions ??= createTransitions();
  return knownTransitions;
}

/** Creates the same machine in JavaScript. */
export function createScriptMachine(): Machine {
  const table = transitions();
  /** For each open array or object, the state after a comma. */
  const stack = new Uint8Array(MAX_DEPTH + 1);
  stack[0] = STATES.invalid;
  const positions = new Int32Array(MEMORY.maxPositions);
  let depth = 0;
  let deepest = 0;
  let hasLoneSurrogates = false;
  let count = 0;

  const act = (action: number, position: number): number => {
    if (action >= LONE_SURROGATE) {
      hasLoneSurrogates = true;
      return action & ~LONE_SURROGATE;
    }
    if (action === ACTIONS.openObject || action === ACTIONS.openArray) return open(action, position);
    recordPosition(position);
    if (action === ACTIONS.comma) return stack[depth] ?? STATES.invalid;
    const afterComma = action === ACTIONS.closeObject ? STATES.key : STATES.value;
    return stack[depth--] === afterComma ? STATES.afterValue : STATES.invalid;
  };

  const open = (action: number, position: number): number => {
    if (++depth > MAX_DEPTH) return STATES.tooDeep;
    deepest = Math.max(deepest, depth);
    stack[depth] = action === ACTIONS.openObject ? STATES.key : STATES.value;
    recordPosition(position);
    return action === ACTIONS.openObject ? STATES.firstKey : STATES.firstElement;
  };

  const recordPosition = (position: number) => {
    if (depth <= 1) positions[count++ % positions.length] = position;
  };

  const feed: Feed = (state, bytes, start, end) => {
    let next = state;
    for (let at = start; at < end; at++) {
      next = table[(next << 8) | (bytes[at] ?? 0)] ?? STATES.invalid;
      if (next >= ACTIONS.openObject) next = act(next, at);
    }
    return next;
  };

  return {
    begin() {
      depth = 0;
      deepest = 0;
      hasLoneSurrogates = false;
      count = 0;
    },
    feed,
    record: feed,
    isClosed: () => depth === 0,
    deepest: () => deepest,
    hasLoneSurrogates: () => hasLoneSurrogates,
    positions,
    count: () => count,
  };
}
