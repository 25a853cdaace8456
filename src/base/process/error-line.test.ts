import { expect, test } from 'vitest';
import { findErrorLine } from './error-line.ts';

test.each([
  ['no output', [], undefined],
  ['only blank lines', ['', '  '], undefined],
  ['one line', ['missing API key'], 'missing API key'],
  ['plain lines: the last one', ['starting', 'missing API key', ''], 'missing API key'],
  [
    'an uncaught exception in Node.js',
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
    'a Python traceback',
    ['Traceback (most recent call last):', '  File "s.py", line 1', 'KeyError: "TOKEN"'],
    'KeyError: "TOKEN"',
  ],
  ['a Go panic', ['panic: no key', '', 'goroutine 1 [running]:', 'main.main()'], 'panic: no key'],
  ['only noise', ['Node.js v20.20.2'], undefined],
  ['only a startup message', ['Knowledge Graph MCP Server running on stdio'], undefined],
  ['an error before a startup message', ['Missing key GRAPH', 'Server running on stdio'], 'Missing key GRAPH'],
  [
    'a line that says it is not running',
    ['The daemon is running: no, not running'],
    'The daemon is running: no, not running',
  ],
  ['advice after the reason', ['server: API_KEY is not set', 'See the README.'], 'server: API_KEY is not set'],
  [
    'usage text after the reason',
    ['flag provided but not defined: -x', 'Usage of server:', '  -port int', '    \tport to use (default 80)'],
    'flag provided but not defined: -x',
  ],
  ['several reasons: the last one', ['no config file', 'connection refused'], 'connection refused'],
  [
    'a warning before the reason',
    ['warning: no config file, using defaults', 'port 80 is in use'],
    'port 80 is in use',
  ],
  ['only a warning', ['Warning: TOKEN is not set'], 'Warning: TOKEN is not set'],
  ['a drawn box', ['┌──────────┐', '│ No token │', '└──────────┘'], '│ No token │'],
  [
    'an npm 404',
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
