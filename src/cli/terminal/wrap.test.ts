import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { displayWidth } from '../../base/text/display-width.ts';
import { wrap, wrapHanging } from './wrap.ts';

test('keeps a line that fits', () => {
  expect(wrap('  --json     one document', 80)).toBe('  --json     one document');
});

test('wraps a description in its own column', () => {
  expect(wrap('  --lazy     start servers whose tools are cached only at their first call', 40)).toBe(
    ['  --lazy     start servers whose tools', '             are cached only at their', '             first call'].join(
      '\n',
    ),
  );
});

test('continues below the label if there is no room for a column', () => {
  expect(wrap('  a label that is very long indeed  some text', 40)).toBe(
    '  a label that is very long indeed  some\n  text',
  );
});

test('keeps a command whole, on its own line', () => {
  const message = 'The server "files" did not start. Run: switchboard mcp test files --verbose --timeout 60';
  expect(wrap(message, 50)).toBe(
    'The server "files" did not start.\nRun: switchboard mcp test files --verbose --timeout 60',
  );
  expect(wrap('Restart it. To undo this, run: switchboard disconnect cursor', 50)).toBe(
    'Restart it. To undo this,\nrun: switchboard disconnect cursor',
  );
});

test('counts wide characters as two columns', () => {
  expect(wrap('漢字漢字漢字漢字 漢字漢字漢字漢字', 30)).toBe('漢字漢字漢字漢字\n漢字漢字漢字漢字');
});

test('keeps every word whole, and exceeds the width only for a single word', () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.integer({ min: 30, max: 100 }), (words, width) => {
      const wrapped = wrap(words.join(' '), width);
      expect(wrapped.split(/\s+/).filter(Boolean)).toEqual(words);
      for (const line of wrapped.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    }),
    propertyRuns(200),
  );
});

describe('folded text', () => {
  test('breaks at blanks, and keeps a long word whole', () => {
    const text = 'npx -y @modelcontextprotocol/server-filesystem /home/me/documents';
    expect(wrapHanging(text, { width: 40, indent: '    ' })).toEqual([
      'npx -y',
      '    @modelcontextprotocol/server-filesystem',
      '    /home/me/documents',
    ]);
    expect(wrapHanging('東京 京都 大阪 名古屋 札幌', { width: 24, indent: '  ' })).toEqual([
      '東京 京都 大阪 名古屋',
      '  札幌',
    ]);
  });

  test('does not split a line reference', () => {
    expect(wrapHanging('@modelcontextprotocol/server  (line 12)', { width: 39, indent: '  ' })).toEqual([
      '@modelcontextprotocol/server',
      '  (line 12)',
    ]);
  });

  test('is unchanged without a terminal', () => {
    const text = 'word '.repeat(100);
    expect(wrapHanging(text, { width: undefined, indent: '  ' })).toEqual([text]);
  });

  test('keeps every word, and exceeds the width only for a long word', () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '東', '-'), minLength: 1 }), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 24, max: 120 }), (all, width) => {
        const indent = '    ';
        const lines = wrapHanging(all.join(' '), { width, indent });
        expect(lines.map((line) => line.trim()).join(' ')).toBe(all.join(' '));
        const tooWide = lines.filter((line, index) => displayWidth(line) + (index === 0 ? indent.length : 0) > width);
        expect(tooWide.filter((line) => line.trim().includes(' '))).toEqual([]);
      }),
    );
  });
});
