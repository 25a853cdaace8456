import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../base/text/display-width.ts';
import { alignColumns, type ColumnFit } from './columns.ts';

const ROWS = [
  ['id', 'kind', 'target', 'ok'],
  ['github', 'http', 'https://api.github.com/mcp', 'ok'],
];
const fitting = (width: number | undefined): ColumnFit => ({
  ...{ width, cut: [{ column: 2, keeps: 10 }], drop: [1, 3], name: 0 },
});

describe('a table that is too wide', () => {
  test.each([
    [undefined, 'github  http  https://api.github.com/mcp  ok'],
    [44, 'github  http  https://api.github.com/mcp  ok'],
    [43, 'github http https://api.github.com/mcp ok'],
    [40, 'github http https://api.github.com/m… ok'],
    [25, 'github http https://a… ok'],
    [24, 'github https://api.g… ok'],
    [19, 'github https://api…'],
    [16, 'github https://…'],
    [9, 'github h…'],
  ])('in %s columns narrows the gap, then truncates columns, then drops them', (width, line) => {
    expect(alignColumns(ROWS, fitting(width))[1]).toBe(line);
  });

  test('is never wider than the terminal, and every row has the same columns', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 }).map((one) => one.replaceAll(/\s/g, '_'));
    const row = fc.tuple(text, text, text, text);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 120 }), (rows, width) => {
        const widths = alignColumns(rows, fitting(width)).map(displayWidth);
        expect(Math.max(...widths)).toBeLessThanOrEqual(width);
      }),
    );
  });
});
