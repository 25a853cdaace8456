import { expect, test } from 'vitest';
import { findErrorLine } from './error-line.ts';

test.each([
  ['nothing was said', [], undefined],
  ['only blanks were said', ['', '  '], undefined],
  ['one line was said', ['missing API key'], 'missing API key'],
  ['the last of several is plain', ['starting', 'missing API key', ''], 'missing API key'],
  [
    'Node died of an exception',
    [
      'file:///server.mjs:3',
      "  throw new Error('no key');",
      '  ^',
      '',
      'Error: no key',
      '    at run (file:///server.mjs:3:9)',
      '    at node:internal/main {',
      "  code: 'E_KEY',",
      '}',
      '',
      'Node.js v20.20.2',
    ],
    'Error: no key',
  ],
  [
    'Python died',
    ['Traceback (most recent call last):', '  File "s.py", line 1', 'KeyError: "TOKEN"'],
    'KeyError: "TOKEN"',
  ],
  ['Go panicked', ['panic: no key', '', 'goroutine 1 [running]:', 'main.main()'], 'panic: no key'],
  ['there is nothing but noise', ['Node.js v20.20.2'], undefined],
  ['it only said that it works', ['Knowledge Graph MCP Server running on stdio'], undefined],
  ['it said that it works before it failed', ['Missing key GRAPH', 'Server running on stdio'], 'Missing key GRAPH'],
  [
    'it says that it is not running',
    ['The daemon is running: no, not running'],
    'The daemon is running: no, not running',
  ],
  ['advice follows the reason', ['server: API_KEY is not set', 'See the README.'], 'server: API_KEY is not set'],
  [
    'the usage follows the reason',
    ['flag provided but not defined: -x', 'Usage of server:', '  -port int', '    \tport to use (default 80)'],
    'flag provided but not defined: -x',
  ],
  ['the last of several reasons is', ['no config file', 'connection refused'], 'connection refused'],
  ['a warning came before', ['warning: no config file, using defaults', 'port 80 is in use'], 'port 80 is in use'],
  ['there is only a warning', ['Warning: TOKEN is not set'], 'Warning: TOKEN is not set'],
  ['a box was drawn', ['┌──────────┐', '│ No token │', '└──────────┘'], '│ No token │'],
  [
    'npm found no package',
    [
      'npm error code E404',
      'npm error 404 Not Found - GET https://registry.npmjs.org/nope - Not found',
      'npm error 404',
      "npm error 404  'nope@*' is not in this registry.",
      'npm error 404',
      'npm error 404 Note that you can also install from a',
      'npm error 404 tarball, folder, http url, or git folder.',
      'npm notice',
      'npm notice New major version of npm available! 10.8.2 -> 11.0.0',
      'npm error A complete log of this run can be found in: /home/me/.npm/_logs/x-debug-0.log',
    ],
    'npm error 404 Not Found - GET https://registry.npmjs.org/nope - Not found',
  ],
] as const)('%s', (_, lines, expected) => {
  expect(findErrorLine(lines)).toBe(expected);
});
