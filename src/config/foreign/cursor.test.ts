import { expect, test } from 'vitest';
import { readForeignText } from '../../../test/config/foreign-file.ts';
import { cursorShape } from './cursor.ts';

const TEXT = `{
  // a comment
  "mcpServers": {
    "local": {
      "command": "\${userHome}/bin/server",
      "args": ["\${workspaceFolder}/x", "\${workspaceFolderBasename}", "a\${/}b"],
      "env": { "KEY": "\${env:MY_KEY}", "PLAIN": "\${NOT_OURS}" },
      "envFile": "\${workspaceFolder}/.env",
    },
    "remote": {
      "url": "https://remote.example/mcp",
      "headers": { "X-Key": "\${env:KEY}" },
      "auth": { "CLIENT_ID": "\${env:ID}", "CLIENT_SECRET": "s", "scopes": ["a", "b"] },
    },
  },
}`;

test('translates variables, the file of variables and sign-in settings in a project', () => {
  const files = { '/project/.env': '# comment\nFROM_FILE="1"\nKEY=lower\n' };
  expect(readForeignText(cursorShape, TEXT, { project: '/project', files })).toEqual({
    servers: [
      {
        name: 'local',
        line: 4,
        project: '/project',
        entry: {
          transport: 'stdio',
          command: '/home/me/bin/server',
          args: ['/project/x', 'project', 'a/b'],
          env: { FROM_FILE: '1', KEY: `\${MY_KEY}`, PLAIN: `\${NOT_OURS}` },
          expand_variables: true,
        },
        notCarried: [
          { key: 'envFile', reason: 'its variables were copied, and later changes to the file have no effect' },
          { key: 'env.PLAIN', reason: `its literal \${NOT_OURS} is now a variable` },
        ],
      },
      {
        name: 'remote',
        line: 10,
        project: '/project',
        entry: {
          transport: 'http',
          url: 'https://remote.example/mcp',
          headers: { 'X-Key': `\${KEY}` },
          oauth: { client_id: `\${ID}`, client_secret: 's', scope: 'a b' },
          expand_variables: true,
        },
        notCarried: [],
      },
    ],
    skipped: [],
  });
});

test('reports what is known only in a project, and a file of variables that cannot be read', () => {
  const [server] = readForeignText(cursorShape, TEXT).servers;
  const unknown = (name: string) => `its \${${name}} is known only to the editor: replace it, or set ${name}`;
  expect(server?.notCarried).toEqual([
    { key: 'envFile', reason: unknown('workspaceFolder') },
    { key: 'envFile', reason: 'the file cannot be read: set its variables yourself' },
    { key: 'env.PLAIN', reason: `its literal \${NOT_OURS} is now a variable` },
    { key: 'args[0]', reason: unknown('workspaceFolder') },
    { key: 'args[1]', reason: unknown('workspaceFolderBasename') },
  ]);
});
