import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteForShell } from '../../src/base/text/shell-quote.ts';

test.skipIf(process.platform === 'win32')('a shell reads it as a single word and runs nothing', () => {
  const words = fc.sample(fc.string({ unit: 'grapheme-ascii', maxLength: 20 }), 200).concat('`id`', '$(id)', '$IFS');
  const script = words.map((word) => `printf '%s\\0' ${quoteForShell(word)}`).join('\n');
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  expect([stdout.split('\0').slice(0, -1), stderr]).toEqual([words, '']);
});
