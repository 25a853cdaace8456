// @ts-check
import { floodedStatusMs, floodGrowthMib, interruptMs } from './codex-flood.mjs';
import { manySessionsMib, manySessionsMs } from './codex-many-sessions.mjs';
import { besideCodexMib, codexStartMs } from './codex-start.mjs';
import { codexProgram } from './codex-testbed.mjs';
import { turnMs } from './codex-turns.mjs';

/** @typedef {import('./run.mjs').Claim} Claim */

const missing = codexProgram === undefined ? 'Codex is not installed for this platform' : undefined;

/** @param {string} what @param {import('./codex-flood.mjs').Starter} starter @returns {Claim[]} */
function flood(what, starter) {
  return [
    {
      what: `codex, status of a session with 10 000 pieces of text a second${what}, against one that is silent`,
      most: 1.5,
      unit: 'ms',
      missing,
      measure: () => floodedStatusMs(starter),
    },
    {
      what: `codex, resident memory, growth over 20 000 pieces of text${what}`,
      most: 5,
      unit: 'MiB',
      compare: 'difference',
      missing,
      measure: () => floodGrowthMib(starter),
    },
  ];
}

/** @type {readonly Claim[]} */
export const codexClaims = [
  {
    what: 'codex, codex_start until the session is active, engine warm, against app-server directly',
    most: 1.3,
    unit: 'ms',
    missing,
    measure: () => turnMs('active'),
  },
  {
    what: 'codex, a trivial turn with codex_start and codex_wait, engine warm, against app-server directly',
    most: 1.3,
    unit: 'ms',
    missing,
    measure: () => turnMs('done'),
  },
  {
    what: 'codex, a trivial turn in 8 new sessions at once, engine warm, against 8 codex exec',
    most: 0.5,
    unit: 'ms',
    missing,
    measure: manySessionsMs,
  },
  {
    what: 'codex, resident memory of all processes while 8 sessions run, against 8 codex exec',
    most: 0.25,
    unit: 'MiB',
    missing,
    measure: manySessionsMib,
  },
  {
    what: 'codex, codex_interrupt of a turn that streams 10 000 pieces of text a second, until it is answered',
    most: 3_000,
    unit: 'ms',
    compare: 'alone',
    missing,
    measure: interruptMs,
  },
  ...flood('', 'codex_start'),
  ...flood(', each sent to the client', 'drop-in'),
  {
    what: 'codex, CPU from spawn to initialize answered, against a whole node -e 0',
    most: 1.8,
    unit: 'ms',
    missing,
    measure: codexStartMs,
  },
  {
    what: 'codex, resident memory without Codex after a turn, beyond that of bare node',
    most: 30,
    unit: 'MiB',
    compare: 'difference',
    missing,
    measure: besideCodexMib,
  },
];
