// @ts-check
// npm run bench: what we claim about speed and size, measured in pairs. Takes about two minutes on two cores.
import { framingMs } from './framing.mjs';
import { cpuPerCallUs } from './kit-calls.mjs';
import { memoryMib, startMs } from './kit-start.mjs';
import { median, rounds } from './rounds.mjs';

/**
 * `most`: the largest ratio that keeps the promise, or with `unit: 'MiB'` the largest difference.
 * @typedef {{ what: string, most: number, unit: string, measure: () => Promise<import('./rounds.mjs').Pair> }} Claim
 */

/** @type {readonly Claim[]} */
const claims = [
  {
    what: 'kit, CPU per call (JSON Schema), against a hand-written loop',
    most: 1.3,
    unit: 'us',
    measure: () => cpuPerCallUs({ ours: 'kit-json-schema', theirs: 'hand-written' }),
  },
  {
    what: 'kit, CPU per call (zod, async handler), against a hand-written loop',
    most: 1.3,
    unit: 'us',
    measure: () => cpuPerCallUs({ ours: 'kit-zod', theirs: 'hand-written' }),
  },
  {
    what: 'kit, CPU per call (zod, async handler), against the SDK v2 McpServer',
    most: 0.25,
    unit: 'us',
    measure: () => cpuPerCallUs({ ours: 'kit-zod', theirs: 'sdk-v2' }),
  },
  {
    what: 'kit, CPU from spawn to initialize answered, against a whole node -e 0',
    most: 1.4,
    unit: 'ms',
    measure: startMs,
  },
  {
    what: 'kit, resident memory after a call, beyond that of bare node',
    most: 10,
    unit: 'MiB',
    measure: memoryMib,
  },
  {
    what: 'framing one line of 64 MiB, against 64 lines of 1 MiB',
    most: 1.5,
    unit: 'ms',
    measure: framingMs,
  },
];

for (const claim of claims) console.log(await judge(claim));

/** @param {Claim} claim */
async function judge({ what, most, unit, measure }) {
  const pairs = await rounds(measure);
  const isDifference = unit === 'MiB';
  const figures = pairs.map(({ ours, theirs }) => (isDifference ? ours - theirs : ours / theirs));
  const show = (/** @type {number} */ figure) => (isDifference ? `+${figure.toFixed(1)} MiB` : `${figure.toFixed(2)}x`);
  const spread = `${show(Math.min(...figures))} to ${show(Math.max(...figures))}`;
  const ours = median(pairs.map((pair) => pair.ours)).toFixed(1);
  const theirs = median(pairs.map((pair) => pair.theirs)).toFixed(1);
  const verdict = median(figures) <= most ? 'met' : 'MISSED';
  return `${what}\n  ${show(median(figures))} (${spread}), ${ours} against ${theirs} ${unit}; goal at most ${show(most)}: ${verdict}`;
}
