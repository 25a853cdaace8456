import { expect, test } from 'vitest';
import { tellingLine } from './telling-line.ts';

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
  ['there is nothing but noise', ['Node.js v20.20.2'], 'Node.js v20.20.2'],
] as const)('%s', (_, lines, expected) => {
  expect(tellingLine(lines)).toBe(expected);
});
