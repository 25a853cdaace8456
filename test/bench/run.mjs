// @ts-check
// npm run bench: what we claim about speed and size, measured in pairs. Takes about three minutes on two cores.
import { framingMs } from './framing.mjs';
import { cpuPerCallUs } from './kit-calls.mjs';
import { bareNodeMib, bareNodeMs, kitMib, kitStartMs } from './kit-start.mjs';
import { median, pairedRounds } from './rounds.mjs';

/** @typedef {{ what: string, goal: string, isMet: (ratio: number) => boolean, unit: string, ours: () => Promise<number>, theirs: () => Promise<number>, difference?: boolean }} Claim */

/** @type {readonly Claim[]} */
const claims = [
  {
    what: 'kit, CPU per call (JSON Schema), against a hand-written loop',
    goal: '<= 1.3x',
    isMet: (ratio) => ratio <= 1.3,
    unit: 'us',
    ours: () => cpuPerCallUs('kit-json-schema'),
    theirs: () => cpuPerCallUs('hand-written'),
  },
  {
    what: 'kit, CPU per call (zod), against a hand-written loop',
    goal: '<= 1.3x',
    isMet: (ratio) => ratio <= 1.3,
    unit: 'us',
    ours: () => cpuPerCallUs('kit-zod'),
    theirs: () => cpuPerCallUs('hand-written'),
  },
  {
    what: 'kit, CPU per call (zod), against the SDK v2 McpServer',
    goal: '<= 0.25x',
    isMet: (ratio) => ratio <= 0.25,
    unit: 'us',
    ours: () => cpuPerCallUs('kit-zod'),
    theirs: () => cpuPerCallUs('sdk-v2'),
  },
  {
    what: 'kit, CPU from spawn to initialize answered, against node -e 0',
    goal: '<= 1.4x',
    isMet: (ratio) => ratio <= 1.4,
    unit: 'ms',
    ours: kitStartMs,
    theirs: bareNodeMs,
  },
  {
    what: 'kit, resident memory after a call, beyond bare node',
    goal: '<= +10 MiB',
    isMet: (difference) => difference <= 10,
    unit: 'MiB',
    ours: kitMib,
    theirs: bareNodeMib,
    difference: true,
  },
  {
    what: 'framing one line of 64 MiB, against 64 lines of 1 MiB',
    goal: '<= 1.5x',
    isMet: (ratio) => ratio <= 1.5,
    unit: 'ms',
    ours: () => framingMs({ lines: 1 }),
    theirs: () => framingMs({ lines: 64 }),
  },
];

for (const claim of claims) console.log(await judge(claim));

/** @param {Claim} claim */
async function judge({ what, goal, isMet, unit, ours, theirs, difference }) {
  const rounds = await pairedRounds({ ours, theirs });
  const figures = rounds.map((round) => (difference === true ? round.ours - round.theirs : round.ratio));
  const figure = median(figures);
  const show = (/** @type {number} */ value) =>
    difference === true ? `${value.toFixed(1)} MiB` : `${value.toFixed(2)}x`;
  const absolute = [median(rounds.map((round) => round.ours)), median(rounds.map((round) => round.theirs))];
  return [
    what,
    `  ${show(figure)}  (spread ${show(Math.min(...figures))} to ${show(Math.max(...figures))}; ${absolute.map((value) => value.toFixed(1)).join(' against ')} ${unit})`,
    `  goal ${goal}: ${isMet(figure) ? 'met' : 'MISSED'}`,
  ].join('\n');
}
