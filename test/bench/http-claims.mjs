// @ts-check
import { loads } from './gateway-calls.mjs';
import { httpCallUs } from './http-calls.mjs';
import { listCpuMs, TEST_SHARE, testMs } from './http-commands.mjs';
import { expiredTokenMistakes } from './http-expired-token.mjs';
import { missing } from './http-server.mjs';

/** @typedef {import('./run.mjs').Claim} Claim */

/** @type {readonly Claim[]} */
export const httpClaims = [
  {
    what: 'gateway, CPU per call over HTTP, 100 B, 16 in flight, against a plain relay',
    most: 1.6,
    unit: 'us',
    missing,
    measure: () => httpCallUs(loads.small),
  },
  {
    what: 'gateway, CPU per call over HTTP, 1 MiB, against a plain relay',
    most: 1.6,
    unit: 'us',
    missing,
    measure: () => httpCallUs(loads.large),
  },
  { what: 'mcp list, CPU, cold, against a whole node -e 0', most: 2, unit: 'ms', measure: listCpuMs },
  {
    what: `mcp test of a stdio server, beyond ${TEST_SHARE} times the server's own time`,
    most: 100,
    unit: 'ms',
    compare: 'difference',
    measure: testMs,
  },
  {
    what: 'gateway, 4 processes with 8 calls each with an expired rotating token: lost calls, extra refreshes and opened browsers',
    most: 0,
    unit: 'mistakes',
    compare: 'alone',
    measure: expiredTokenMistakes,
  },
];
