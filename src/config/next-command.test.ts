import { expect, test } from 'vitest';
import { checkCommand, trustToolsCommand } from './next-command.ts';

const at = (layer: 'explicit' | 'codex', file = '/etc/servers.json') => ({ layer, file, line: 1 });

test.each([
  ['files', 'files'],
  ['my files', "'my files'"],
  ['$(touch x)', "'$(touch x)'"],
  ['`x`', "'`x`'"],
  ["it's", "'it'\\''s'"],
  ['-x', "'-x'"],
])('the id %s is one word for a shell', (id, word) => {
  expect(trustToolsCommand({ id, origin: at('codex') })).toBe(`switchboard trust ${word}`);
  expect(checkCommand({ id, origin: at('codex') })).toBe(`switchboard gateway --check --only ${word}`);
});

test('a config that was named is named again', () => {
  expect(trustToolsCommand({ id: 'a', origin: at('explicit', '/a $b/c.json') })).toBe(
    "switchboard trust --config '/a $b/c.json' a",
  );
});
