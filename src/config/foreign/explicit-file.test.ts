import { expect, test } from 'vitest';
import { translateExplicitFile } from './explicit-file.ts';

const environment = { cwd: '/project', home: '/home/me', env: {}, platform: 'linux' } as const;
const translate = (file: string, text: string) => translateExplicitFile(file, Buffer.from(text), environment);

test('puts each server on its line of the original, under a valid id, and reports the others', async () => {
  const text = [
    'model = "x"',
    '',
    '[mcp_servers."my server"]',
    'command = "a"',
    '',
    '[mcp_servers.my-server]',
    'command = "b"',
    '[mcp_servers.broken]',
  ].join('\n');
  const translated = await translate('/x/.codex/config.toml', text);
  if (translated.kind === 'broken') throw new Error(translated.problem.message);
  expect(translated.bytes.toString('utf8').split('\n')).toEqual([
    '{"version":1,"mcp":{"servers":{',
    '',
    '"my-server":{"transport":"stdio","command":"a"},',
    '',
    '',
    '"my-server-2":{"transport":"stdio","command":"b"}}}}',
  ]);
  const file = '/x/.codex/config.toml';
  const message = '"broken" is left out: it has neither a command nor a URL.';
  expect(translated.problems).toEqual([{ file, line: 8, message }]);
});

test('the path decides what variables mean, and a project knows its folder', async () => {
  const server = { command: 'x', args: [`\${workspaceFolder}`, '$HOME', `\${env:KEY}`] };
  const text = JSON.stringify({ mcpServers: { a: server } });
  const args = async (file: string) => {
    const translated = await translate(file, text);
    return translated.kind === 'usable' ? JSON.parse(translated.bytes.toString()).mcp.servers.a.args : undefined;
  };
  expect(await args('/repo/.cursor/mcp.json')).toEqual(['/repo', '$HOME', `\${KEY}`]);
  expect(await args('/home/me/.gemini/settings.json')).toEqual([`\${workspaceFolder}`, `\${HOME}`, `\${env:KEY}`]);
});

test('returns the problem of a file that cannot be used', async () => {
  expect(await translate('/x/a.toml', 'a = [')).toEqual({
    kind: 'broken',
    problem: { file: '/x/a.toml', line: 1, message: expect.stringContaining('Not TOML at column') },
  });
});
