import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { unifiedDiff } from './unified-diff.ts';

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('');

describe('the unified diff', () => {
  test('of equal texts is empty', () => expect(unifiedDiff('a\n', 'a\n')).toEqual([]));

  test('has three lines of context and joins near changes', () => {
    const after = numbers(1, 30).replace('5\n', 'five\n').replace('10\n', '').replace('29\n', '29\nnew\n');
    expect(unifiedDiff(numbers(1, 30), after)).toEqual([
      '@@ -2,12 +2,11 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
      ' 9',
      '-10',
      ' 11',
      ' 12',
      ' 13',
      '@@ -27,4 +26,5 @@',
      ' 27',
      ' 28',
      ' 29',
      '+new',
      ' 30',
    ]);
  });

  test('of a new file, and of a missing line break', () => {
    expect(unifiedDiff('', 'a\nb')).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b', '\\ No newline at end of file']);
  });

  test('contains the whole change for any texts', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '{', '}'), { maxLength: 12 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const marks = unifiedDiff(before, after).filter((line) => !line.startsWith('@@'));
        const count = (lines: readonly string[], mark: string) => lines.filter((line) => line.startsWith(mark)).length;
        const difference = after.split('\n').length - before.split('\n').length;
        expect(count(marks, '+') - count(marks, '-')).toBe(difference);
        expect(marks.length === 0).toBe(before === after);
      }),
      propertyRuns(300),
    );
  });
});
