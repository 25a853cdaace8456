import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { displayWidth } from '../../base/text/display-width.ts';
import { wrap, wrapHanging } from './wrap.ts';

test('a line that fits stays as it is', () => {
  expect(wrap('  --json     one document', 80)).toBe('  --json     one document');
});

test('a description is wrapped in its own column', () => {
  expect(wrap('  --lazy     start servers whose tools are cached only at their first call', 40)).toBe(
    ['  --lazy     start servers whose tools', '             are cached only at their', '             first call'].join(
      '\n',
    ),
  );
});

test('where a label leaves no room for a column, the text continues below the label', () => {
  expect(wrap('  a label that is very long indeed  some text', 40)).toBe(
    '  a label that is very long indeed  some\n  text',
  );
});

test('a command to type is never broken, and stands on a line of its own', () => {
  const message = 'The server "files" did not start. Run: switchboard mcp test files --verbose --timeout 60';
  expect(wrap(message, 50)).toBe(
    'The server "files" did not start.\nRun: switchboard mcp test files --verbose --timeout 60',
  );
});

test('wide characters count as two columns', () => {
  expect(wrap('漢字漢字漢字漢字 漢字漢字漢字漢字', 30)).toBe('漢字漢字漢字漢字\n漢字漢字漢字漢字');
});

test('whatever the text, no word is lost or broken, and no line is too wide unless it is one word', () => {
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

describe('a text that is folded', () => {
  test('is broken at blanks, and a word that is too long stays whole', () => {
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

  test('does not part a line from its number', () => {
    expect(wrapHanging('@modelcontextprotocol/server  (line 12)', { width: 39, indent: '  ' })).toEqual([
      '@modelcontextprotocol/server',
      '  (line 12)',
    ]);
  });

  test('without a terminal is whole', () => {
    const text = 'word '.repeat(100);
    expect(wrapHanging(text, { width: undefined, indent: '  ' })).toEqual([text]);
  });

  test('loses no word, and no line is wider than the terminal unless a word is', () => {
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
