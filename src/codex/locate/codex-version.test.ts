import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAtLeast, parseCodexVersion } from './codex-version.ts';

describe('text without a Codex version', () => {
  test.each([
    '',
    'codex',
    'codex-cli',
    '0.166.0',
    'codex-cli 0.166',
    'codex-cli 0.166.0x',
    'codex-cli 1234567890.0.0',
    'error: unexpected argument',
    'name/ (Debian 12)',
  ])('%j is rejected', (text) => expect(parseCodexVersion(text)).toBeUndefined());
});

describe('the Codex version', () => {
  test.each([
    ['codex-cli 0.166.0\n', { major: 0, minor: 166, patch: 0, text: '0.166.0' }],
    ['WARNING: something\ncodex-cli 0.92.1\r\n', { major: 0, minor: 92, patch: 1, text: '0.92.1' }],
    ['codex-cli 0.150.0-alpha.3', { major: 0, minor: 150, patch: 0, text: '0.150.0-alpha.3' }],
    [
      'switchboard/0.166.0 (Debian 12.0.0; x86_64) dumb (switchboard; 9.8.7)',
      { major: 0, minor: 166, patch: 0, text: '0.166.0' },
    ],
    ['codex_vscode/0.150.0-alpha.3 (Mac OS 15.1)', { major: 0, minor: 150, patch: 0, text: '0.150.0-alpha.3' }],
    ['My Client 3.4.5/1.2.3', { major: 1, minor: 2, patch: 3, text: '1.2.3' }],
  ])('is read from %j', (text, version) => expect(parseCodexVersion(text)).toEqual(version));

  test('round-trips any numbers', () => {
    const number = fc.nat({ max: 999_999_999 });
    fc.assert(
      fc.property(number, number, number, (major, minor, patch) => {
        const version = { major, minor, patch, text: `${major}.${minor}.${patch}` };
        expect(parseCodexVersion(`codex-cli ${version.text}`)).toEqual(version);
        expect(parseCodexVersion(`name/${version.text} (system)`)).toEqual(version);
      }),
    );
  });
});

test.each([
  ['0.92.0', 150, false],
  ['0.149.9', 150, false],
  ['0.150.0-alpha.3', 150, true],
  ['0.150.0', 150, true],
  ['0.166.0', 150, true],
  ['1.0.0', 150, true],
  ['0.0.0', 150, true],
  ['0.0.1', 150, false],
])('%s is at least 0.%d: %s', (text, minor, expected) => {
  const version = parseCodexVersion(`codex-cli ${text}`);
  expect(version && isAtLeast(version, minor)).toBe(expected);
});
