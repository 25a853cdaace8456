import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { wrap } from './wrap.ts';

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
