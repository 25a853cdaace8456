// @ts-check
import { codexProgram } from './codex-testbed.mjs';
import { badServerStartMs, longestBlockMs } from './gateway-bad-server.mjs';
import { baseline } from './gateway-baseline.mjs';
import { freshCallUs, gatewayCallUs, loads } from './gateway-calls.mjs';
import {
  errorsElsewhere,
  inFlightMs,
  initializeMs,
  LIST_TIMEOUT_MS,
  nextCallMs,
  othersListedMs,
} from './gateway-faults.mjs';
import { compiledCodeCpuMs, firstListCpuMs, firstListMs, hungListMs, manyToolsCpuMs } from './gateway-lists.mjs';
import { afterCallsMib, fewUpstreamsMib, growthMib, upstreamKib } from './gateway-memory.mjs';
import { manyGoneMs, stubbornGoneMs } from './gateway-shutdown.mjs';
import { gatewayStartMs } from './gateway-start.mjs';
import { normalizeMs } from './normalize.mjs';

/** @typedef {import('./run.mjs').Claim} Claim */

const missing =
  baseline === undefined
    ? 'the baseline is missing: put it next to the repository, or set SWITCHBOARD_BENCH_BASELINE to its folder'
    : undefined;

/** @param {string} what @param {number} most @param {import('./gateway-calls.mjs').Load} load @returns {Claim} */
function calls(what, most, load) {
  return {
    what: `gateway, CPU per call, ${what}, against a plain relay`,
    most,
    unit: 'us',
    missing,
    measure: () => gatewayCallUs(load),
  };
}

/** @param {number} upstreams @returns {Claim} */
function start(upstreams) {
  return {
    what: `gateway, CPU from spawn to initialize answered, ${upstreams} upstreams, against a whole node -e 0`,
    most: 1.6,
    unit: 'ms',
    measure: () => gatewayStartMs(upstreams),
  };
}

/** @param {'initialize' | 'tools/list'} method @returns {Claim[]} */
function hanging(method) {
  return [
    {
      what: `gateway, initialize answered while one upstream hangs at ${method}, against none hanging`,
      most: 1.25,
      unit: 'ms',
      measure: () => initializeMs(method),
    },
    {
      what: `gateway, tools of the others while one upstream hangs at ${method}, list timeout ${LIST_TIMEOUT_MS} ms`,
      // Leaves 100 ms for the response after the timeout.
      most: LIST_TIMEOUT_MS + 100,
      unit: 'ms',
      compare: 'alone',
      measure: () => othersListedMs(method),
    },
  ];
}

/** @param {'hangs' | 'dies'} habit @returns {Claim} */
function badServer(habit) {
  return {
    what: `gateway, second codex exec with 20 good servers and one that always ${habit}, against the same without it`,
    most: 1.1,
    unit: 'ms',
    missing: codexProgram === undefined ? 'Codex is not installed' : undefined,
    measure: () => badServerStartMs(habit),
  };
}

/** @param {'end of input' | 'SIGTERM' | 'SIGKILL'} how @returns {Claim} */
function ending(how) {
  return {
    what: `gateway, time until it and stubborn servers have exited, after ${how}`,
    most: 5_000,
    unit: 'ms',
    compare: 'alone',
    measure: () => stubbornGoneMs(how),
  };
}

/** @type {readonly Claim[]} */
const lists = [
  {
    what: 'gateway, first complete tools/list of 20 servers, cached, against starting them directly',
    most: 0.25,
    unit: 'ms',
    missing,
    measure: () => firstListMs('warm'),
  },
  {
    what: 'gateway, first complete tools/list of 20 servers, not cached, against starting them directly',
    most: 1.3,
    unit: 'ms',
    missing,
    measure: () => firstListMs('cold'),
  },
  {
    what: 'gateway, CPU to that list, cached, against a whole node -e 0',
    most: 1.7,
    unit: 'ms',
    missing,
    measure: () => firstListCpuMs('warm'),
  },
  {
    what: 'gateway, CPU to that list, not cached',
    most: 150,
    unit: 'ms',
    compare: 'alone',
    missing,
    measure: () => firstListCpuMs('cold'),
  },
  {
    what: 'gateway, CPU to that list, not cached, with compiled code, against without',
    most: 0.9,
    unit: 'ms',
    missing,
    measure: compiledCodeCpuMs,
  },
  {
    what: 'gateway, CPU of a list of 5000 tools, against a plain relay',
    most: 2,
    unit: 'ms',
    missing,
    measure: manyToolsCpuMs,
  },
  {
    what: 'gateway, complete list while one cached server hangs',
    most: 100,
    unit: 'ms',
    compare: 'alone',
    missing,
    measure: hungListMs,
  },
  {
    what: 'gateway, rewriting 1000 awkward schemas for Codex, against JSON.parse of them',
    most: 3,
    unit: 'ms',
    measure: () => normalizeMs('codex'),
  },
  {
    what: 'gateway, rewriting 1000 awkward schemas for an old Codex, against JSON.parse of them',
    most: 3,
    unit: 'ms',
    measure: () => normalizeMs('codex-legacy'),
  },
];

/** @type {readonly Claim[]} */
export const gatewayClaims = [
  calls('100 B, 16 in flight', 1.4, loads.small),
  calls('100 B, one after the other', 1.25, loads.sequential),
  calls('10 KiB, 16 in flight', 1.5, loads.medium),
  {
    what: 'gateway, CPU per call, 10 KiB, 16 in flight, the first 800 calls, against a plain relay',
    most: 2,
    unit: 'us',
    missing,
    measure: () => freshCallUs(loads.medium),
  },
  calls('1 MiB', 1.5, loads.large),
  calls('1 MiB of numbers', 1.5, loads.numbers),
  calls('1 MiB of rows', 1.5, loads.rows),
  ...[1, 20, 200].map(start),
  ...lists,
  { what: 'gateway, resident memory, 20 upstreams', most: 60, unit: 'MiB', compare: 'alone', measure: fewUpstreamsMib },
  {
    what: 'gateway, resident memory, 20 upstreams, after 20 000 calls',
    most: 75,
    unit: 'MiB',
    compare: 'alone',
    measure: afterCallsMib,
  },
  { what: 'gateway, growth over 20 000 more calls', most: 2, unit: 'MiB', compare: 'difference', measure: growthMib },
  {
    what: 'gateway, memory per upstream, with many upstreams',
    most: 100,
    unit: 'KiB',
    compare: 'alone',
    measure: upstreamKib,
  },
  badServer('hangs'),
  badServer('dies'),
  {
    what: 'gateway, longest answer to a ping or a list while 150 servers start',
    most: 250,
    unit: 'ms',
    compare: 'alone',
    measure: longestBlockMs,
  },
  ending('end of input'),
  ending('SIGTERM'),
  ending('SIGKILL'),
  {
    what: 'gateway, time until 150 servers have exited after its client disconnects',
    most: 5_000,
    unit: 'ms',
    compare: 'alone',
    measure: manyGoneMs,
  },
  ...hanging('initialize'),
  ...hanging('tools/list'),
  {
    what: 'gateway, calls in flight answered after their upstream is killed',
    most: 50,
    unit: 'ms',
    compare: 'alone',
    measure: inFlightMs,
  },
  {
    what: 'gateway, next call to a killed upstream, against starting it directly',
    most: 1.5,
    unit: 'ms',
    measure: nextCallMs,
  },
  {
    what: 'gateway, errors of another upstream at the same time',
    most: 0,
    unit: 'errors',
    compare: 'alone',
    measure: errorsElsewhere,
  },
];
