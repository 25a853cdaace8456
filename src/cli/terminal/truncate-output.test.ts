import { expect, test } from 'vitest';
import { truncateOutput } from './truncate-output.ts';

test('truncates a flood of text on a terminal, with a notice', () => {
  const cut = truncateOutput('x'.repeat(3 * 1024 * 1024));
  expect(cut.slice(1024 * 1024)).toBe('\n[… 2.0 MiB more: use --json or redirect to see all]');
  expect(truncateOutput('short')).toBe('short');
});
