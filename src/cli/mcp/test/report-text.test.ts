import { expect, test } from 'vitest';
import { AppError } from '../../../base/errors.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { NO_TOOLS } from '../../../upstream/entry/test-server.ts';
import { reportText } from './report-text.ts';

const entry: ServerEntry = {
  ...{ id: 'one', origin: { layer: 'global', file: '/c.json', line: 5 }, tools: { allow: undefined, deny: [] } },
  ...{ startupTimeoutMs: undefined, requestTimeoutMs: undefined, start: 'eager', pin: false, restart: 'overlap' },
  ...{ share: 'folder', sharesSignIn: false },
  expandsVariables: false,
  transport: {
    ...{ kind: 'stdio', command: 'x', args: [], cwd: undefined, env: {}, envVars: [], inheritEnv: false },
    framing: 'ndjson',
  },
};
const failed = { step: 'connect', error: new AppError('PROCESS_EXITED', 'it ended with exit code 1') } as const;
const reportFor = (lastWords: readonly string[], isVerbose = false) =>
  reportText(entry, { steps: [], failed, ...NO_TOOLS, stderrTail: lastWords, strayOutput: undefined }, { isVerbose })
    .split('\n')
    .filter((line) => line.includes('its stderr'))
    .map((line) => line.trim());

const THROWN = [
  'node:internal/modules/cjs/loader:1228',
  '  throw err;',
  '  ^',
  '',
  "Error: Cannot find module '/x/server.js'",
  '    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)',
  '    at node:internal/main/run_main_module:36:49',
  'Is it built?',
  'Node.js v20.20.2',
];

test('omits the stack trace of a failed program', () => {
  expect(reportFor(THROWN)).toEqual([
    "its stderr: Error: Cannot find module '/x/server.js'",
    'its stderr: Is it built?',
  ]);
});

test('recognizes trace lines by their location, and keeps sentences that start with "at"', () => {
  const frames = [
    '    at async run (file:///x.mjs:3:1)',
    '    at /x/y z.js:3:1',
    '    at Array.map (<anonymous>)',
    '    at <anonymous>',
    '    at async Promise.all (index 0)',
    '\tat org.example.Main.run(Main.java:12)\r',
  ];
  const words = ['   at least one API key is needed', '  at startup: look at localhost:8080', ' at 10:15 it ended'];
  expect(reportFor([...frames, ...words])).toEqual(words.map((line) => `its stderr: ${line.trim()}`));
});

test('shows a trace if there is nothing else, or with --verbose, and never an empty line', () => {
  const bare = ['', '    at run (file:///x.mjs:3:1)', '   ', '    at node:internal/main:1:1'];
  const lines = ['its stderr: at run (file:///x.mjs:3:1)', 'its stderr: at node:internal/main:1:1'];
  expect([reportFor(bare), reportFor(bare, true)]).toEqual([lines, lines]);
  expect(reportFor(THROWN, true)).toHaveLength(8);
});

test('prints nothing for an empty stderr', () => {
  expect([reportFor([]), reportFor(['', '  '])]).toEqual([[], []]);
});

test('shows the last lines that are not omitted', () => {
  const lines = Array.from({ length: 20 }, (_, index) => [`line ${index}`, '    at x (y.js:1:1)']).flat();
  expect(reportFor(lines)).toEqual(Array.from({ length: 8 }, (_, index) => `its stderr: line ${index + 12}`));
});
