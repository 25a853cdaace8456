// @ts-check
// npm run bench [-- words]: measures our claims about speed and size in pairs. With words, runs only the claims that
// contain one of them. Takes about twenty minutes on two cores. With --rivals, installs the programs that some claims
// compare with.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codexClaims } from './codex-claims.mjs';
import { framingMs } from './framing.mjs';
import { gatewayClaims } from './gateway-claims.mjs';
import { hostClaims } from './host-claims.mjs';
import { httpClaims } from './http-claims.mjs';
import { httpFrontClaims } from './http-front-claims.mjs';
import { installRivals } from './http-rivals.mjs';
import { cpuPerCallUs } from './kit-calls.mjs';
import { memoryMib, startMs } from './kit-start.mjs';
import { median, rounds } from './rounds.mjs';

/**
 * `most`: the largest value that meets the claim. A value is the ratio of ours to theirs, their difference, or
 * ours alone.
 * @typedef {object} Claim
 * @property {string} what
 * @property {number} most
 * @property {string} unit
 * @property {'ratio' | 'difference' | 'alone'} [compare] default: ratio
 * @property {string | undefined} [missing] why it cannot be measured here
 * @property {() => Promise<import('./rounds.mjs').Pair>} measure
 */

const words = process.argv.slice(2).filter((word) => word !== '--rivals');
if (process.argv.includes('--rivals')) installRivals();

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
    compare: 'difference',
    measure: memoryMib,
  },
  {
    what: 'framing one line of 64 MiB, against 64 lines of 1 MiB',
    most: 1.5,
    unit: 'ms',
    measure: framingMs,
  },
  ...gatewayClaims,
  ...httpClaims,
  ...httpFrontClaims,
  ...hostClaims,
  ...codexClaims,
];

const chosen = claims.filter(({ what }) => words.length === 0 || words.some((word) => what.includes(word)));
// Measurements run in new homes. Their commands share the compiled code, as all starts of a user but the first do.
const code = mkdtempSync(join(tmpdir(), 'switchboard-bench-code-'));
process.env['SWITCHBOARD_CODE_CACHE'] = code;
try {
  for (const claim of chosen) console.log(`${claim.what}\n  ${await evaluate(claim)}`);
} finally {
  rmSync(code, { recursive: true, force: true });
}

/** @param {Claim} claim */
async function evaluate({ most, unit, compare = 'ratio', missing, measure }) {
  if (missing !== undefined) return `skipped: ${missing}`;
  const pairs = await rounds(measure);
  const figures = pairs.map((pair) => toFigure(pair, compare));
  const show = (/** @type {number} */ figure) => showFigure(figure, compare, unit);
  const spread = `${show(Math.min(...figures))} to ${show(Math.max(...figures))}`;
  const ours = median(pairs.map((pair) => pair.ours)).toFixed(1);
  const theirs = median(pairs.map((pair) => pair.theirs)).toFixed(1);
  const sides = compare === 'alone' ? '' : `, ${ours} against ${theirs} ${unit}`;
  const verdict = median(figures) <= most ? 'met' : 'MISSED';
  return `${show(median(figures))} (${spread})${sides}; goal: at most ${show(most)}: ${verdict}`;
}

/** @param {import('./rounds.mjs').Pair} pair @param {'ratio' | 'difference' | 'alone'} compare */
function toFigure({ ours, theirs }, compare) {
  if (compare === 'alone') return ours;
  return compare === 'difference' ? ours - theirs : ours / theirs;
}

/** @param {number} figure @param {'ratio' | 'difference' | 'alone'} compare @param {string} unit */
function showFigure(figure, compare, unit) {
  if (compare === 'ratio') return `${figure.toFixed(2)}x`;
  const sign = compare === 'difference' && figure >= 0 ? '+' : '';
  return `${sign}${figure.toFixed(1)} ${unit}`;
}
