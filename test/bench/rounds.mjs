// @ts-check

const ROUNDS = 5;

/**
 * Measures two things in turn, each round in another order, and compares within the round: machines are noisy,
 * ratios of neighbours are less so.
 * @param {{ ours: () => Promise<number>, theirs: () => Promise<number> }} pair
 */
export async function pairedRounds({ ours, theirs }) {
  /** @type {{ ours: number, theirs: number, ratio: number }[]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const oursFirst = round % 2 === 0;
    const first = await (oursFirst ? ours() : theirs());
    const second = await (oursFirst ? theirs() : ours());
    const [mine, other] = oursFirst ? [first, second] : [second, first];
    rounds.push({ ours: mine, theirs: other, ratio: mine / other });
  }
  return rounds;
}

/** @param {readonly number[]} values */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
