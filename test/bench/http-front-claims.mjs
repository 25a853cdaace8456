// @ts-check
import { FEW, httpFrontCallUs, modernCallUs } from './http-front-calls.mjs';
import { manySessionsCallUs, sessionKib } from './http-front-sessions.mjs';
import { relayMissing, startRelayFront } from './http-fronts.mjs';
import { rivals, rivalsMissing } from './http-rivals.mjs';

/** @typedef {import('./run.mjs').Claim} Claim */

/** @type {readonly Claim[]} */
export const httpFrontClaims = [
  {
    what: 'HTTP front, CPU per call, 100 B, 16 in flight, against a plain relay',
    most: 1.4,
    unit: 'us',
    missing: relayMissing,
    measure: () => httpFrontCallUs(startRelayFront),
  },
  ...Object.entries(rivals).map(([name, { start, open }]) => ({
    what: `HTTP front, CPU per call, 100 B, 16 in flight, against ${name}`,
    most: 0.2,
    unit: 'us',
    get missing() {
      return relayMissing ?? rivalsMissing();
    },
    measure: () => httpFrontCallUs(start, open, FEW),
  })),
  {
    what: 'HTTP front, CPU per call of MCP 2026-07-28, 100 B, 16 in flight, against calls in a session',
    most: 1.3,
    unit: 'us',
    missing: relayMissing,
    measure: modernCallUs,
  },
  {
    what: 'HTTP front, resident memory for each of 1000 sessions with an open GET stream',
    most: 30,
    unit: 'KiB',
    compare: 'alone',
    missing: relayMissing,
    measure: sessionKib,
  },
  {
    what: 'HTTP front, CPU per call, 1000 sessions with open GET streams, against one session',
    most: 1.15,
    unit: 'us',
    missing: relayMissing,
    measure: manySessionsCallUs,
  },
];
