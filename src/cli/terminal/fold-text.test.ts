import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldText } from './fold-text.ts';
import { displayWidth } from './width.ts';

describe('a text that is folded', () => {
  test('is broken at blanks, and a word that is too long stays whole', () => {
    const text = 'npx -y @modelcontextprotocol/server-filesystem /home/me/documents';
    expect(foldText(text, { width: 40, indent: '    ' })).toEqual([
      'npx -y',
      '    @modelcontextprotocol/server-filesystem',
      '    /home/me/documents',
    ]);
    expect(foldText('東京 京都 大阪 名古屋 札幌', { width: 24, indent: '  ' })).toEqual([
      '東京 京都 大阪 名古屋',
      '  札幌',
    ]);
  });

  test('does not part a line from its number', () => {
    expect(foldText('@modelcontextprotocol/server  (line 12)', { width: 39, indent: '  ' })).toEqual([
      '@modelcontextprotocol/server',
      '  (line 12)',
    ]);
  });

  test('without a terminal is whole', () => {
    const text = 'word '.repeat(100);
    expect(foldText(text, { width: undefined, indent: '  ' })).toEqual([text]);
  });

  test('loses no word, and no line is wider than the terminal unless a word is', () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '東', '-'), minLength: 1 }), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 24, max: 120 }), (all, width) => {
        const indent = '    ';
        const lines = foldText(all.join(' '), { width, indent });
        expect(lines.map((line) => line.trim()).join(' ')).toBe(all.join(' '));
        const tooWide = lines.filter((line, index) => displayWidth(line) + (index === 0 ? indent.length : 0) > width);
        expect(tooWide.filter((line) => line.trim().includes(' '))).toEqual([]);
      }),
    );
  });
});
