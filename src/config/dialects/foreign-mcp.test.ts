import { expect, test } from 'vitest';
import { toConfigFile } from '../files/config-file.ts';

const read = (content: object) =>
  toConfigFile(
    { layer: 'explicit', file: '/f', needsTrust: false, isSwitchboardFile: false, namedBy: undefined },
    '/f',
    Buffer.from(JSON.stringify(content)),
  );

test('rejects an opencode config instead of reading it as empty', () => {
  const mcp = { files: { type: 'local', command: ['npx', 'x'], enabled: true } };
  expect(() => read({ $schema: 'https://opencode.ai/config.json', mcp })).toThrow('looks like a config of opencode');
});

test('the Gemini CLI rules next to its servers are not other servers', () => {
  const { entries, problems } = read({ mcp: { allowed: ['a'] }, mcpServers: { a: { command: 'x' } } });
  expect([entries.map(({ id }) => id), problems]).toEqual([['a'], []]);
});

test('names the keys of two sets of servers in one file', () => {
  const { problems } = read({ mcp: { servers: {} }, mcpServers: { a: { command: 'x' } } });
  expect(problems.map(({ message }) => message)).toEqual([
    'The servers under "mcp" are not read, because the file also has "mcpServers".',
  ]);
});
