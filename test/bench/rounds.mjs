// @ts-check
/** @typedef {{ ours: number, theirs: number }} Pair */

const ROUNDS = 5;

/**
 * Repeats a measurement. Each measurement alternates between ours and theirs in short turns, so that other load on
 * the machine affects both equally. Ratios are less noisy than absolute times.
 * @param {() => Promise<Pair>} measure @returns {Promise<Pair[]>}
 */
export async function rounds(measure) {
  const pairs = [];
  for (let round = 0; round < ROUNDS; round++) pairs.push(await measure());
  return pairs;
}

/**
 * Calls both alternately and sums their return values.
 * @param {{ turns: number, ours: () => Promise<number>, theirs: () => Promise<number> }} options @returns {Promise<Pair>}
 */
export async function alternate({ turns, ours, theirs }) {
  const sum = { ours: 0, theirs: 0 };
  for (let turn = 0; turn < turns; turn++) {
    sum.ours += await ours();
    sum.theirs += await theirs();
  }
  return { ours: sum.ours / turns, theirs: sum.theirs / turns };
}

/** @param {readonly number[]} values */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
