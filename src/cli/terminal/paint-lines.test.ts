import { expect, test } from 'vitest';
import { paintLines } from './paint-lines.ts';
import { createStyle } from './style.ts';

const TEXT = 'Title\n  good: one\n  bad: two\n';
const TONES = [
  [/good:/, 'good'],
  [/^\S+/, 'heading'],
] as const;

test('paints the first part that each line has', () => {
  const style = createStyle({ isTerminal: true, env: {} });
  expect(paintLines(TEXT, TONES, style)).toBe(
    '\u001b[1mTitle\u001b[22m\n  \u001b[32mgood:\u001b[39m one\n  bad: two\n',
  );
});

test('changes nothing without colours', () => {
  expect(paintLines(TEXT, TONES, createStyle({ isTerminal: false, env: {} }))).toBe(TEXT);
});
