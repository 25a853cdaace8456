import { expect } from 'vitest';
import type { Testbed } from './testbed.ts';

/** Expects `help <words>` and `<words> -h` to print the same help of the command. */
export async function expectHelp(testbed: Testbed, words: readonly string[]): Promise<void> {
  const [help, flag] = await Promise.all([testbed.run(['help', ...words]), testbed.run([...words, '-h'])]);
  expect([words, help.status, help.stderr, help.stdout]).toEqual([words, 0, '', flag.stdout]);
  const [name, word] = words;
  const isOwn = word !== undefined && word !== 'mcp-server';
  expect(help.stdout).toContain(isOwn ? `switchboard ${name} ${word}: ` : 'switchboard');
}
