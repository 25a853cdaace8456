/** Addresses in the memory of the WebAssembly module from `generator/module-code.ts`. */
export const MEMORY = {
  /** The position at which `walkAndLeave` stopped. */
  at: 8,
  /** The state in which `skipBlocks` stopped. */
  state: 12,
  depth: 16,
  deepest: 20,
  loneSurrogates: 24,
  /** How many commas and braces of the outermost level were found. Above `maxPositions`, some are overwritten. */
  count: 28,
  table: 64,
  stack: 16_384,
  positions: 28_672,
  maxPositions: 64,
  window: 32_768,
  /** Half of a small L1 cache, so that a window is still cached when it is checked. Larger ones took a fifth longer. */
  windowBytes: 16_384,
} as const;

/** The most arrays and objects that may be open at once. */
export const MAX_DEPTH = 10_000;
