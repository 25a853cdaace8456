import { expect, test } from 'vitest';
import { toConfigFile } from '../files/config-file.ts';

const read = (content: object) =>
  toConfigFile(
    { layer: 'explicit', file: '/f', needsTrust: false, isSwitchboardFile: false, namedBy: undefined },
    '/f',
    Buffer.from(JSON.stringify(content)),
  );

test('a config of opencode is refused, not read as empty', () => {
  const mcp = { files: { type: 'local', command: ['npx', 'x'], enabled: true } };
  expect(() => read({ $schema: 'https://opencode.ai/config.json', mcp })).toThrow('looks like a config of opencode');
});

test('the rules of Gemini CLI beside its servers are no other servers', () => {
  const { entries, problems } = read({ mcp: { allowed: ['a'] }, mcpServers: { a: { command: 'x' } } });
  expect([entries.map(({ id }) => id), problems]).toEqual([['a'], []]);
});

test('two sets of servers are told by keys that the file has', () => {
  const { problems } = read({ mcp: { servers: {} }, mcpServers: { a: { command: 'x' } } });
  expect(problems.map(({ message }) => message)).toEqual([
    'The servers under "mcp" are not read, because the file has "mcpServers" too.',
  ]);
});
