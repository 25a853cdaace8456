import { expect, test } from 'vitest';
import { readForeignText } from '../../../test/config/foreign-file.ts';
import { vscodeShape } from './vscode.ts';

const TEXT = `{
  "inputs": [
    { "type": "promptString", "id": "api-key", "description": "Key", "password": true },
    { "type": "pickString", "id": "region", "options": ["eu", "us"], "default": "eu" }
  ],
  "servers": {
    "local": {
      "type": "stdio", "command": "node", "args": ["\${workspaceFolder}/s.js", "--region", "\${input:region}"],
      "env": { "KEY": "\${input:api-key}", "OTHER": "\${env:OTHER_KEY}", "UNSET": null },
      "envFile": "/project/.env", "sandboxEnabled": true, "sandbox": {}, "dev": { "watch": "src" }, "gallery": true
    },
    "web": { "type": "http", "url": "https://web.example/mcp", "headers": { "Authorization": "Bearer \${input:api-key}" } },
    "socket": { "type": "http", "url": "unix:///tmp/s.sock#/mcp" },
    "pipe": { "type": "http", "url": "pipe://x" }
  }
}`;

test('translates inputs to variables, and names what only VS Code does', () => {
  expect(readForeignText(vscodeShape, TEXT, { project: '/project', files: { '/project/.env': 'A=1' } })).toEqual({
    servers: [
      {
        name: 'local',
        line: 7,
        project: '/project',
        entry: {
          transport: 'stdio',
          command: 'node',
          args: ['/project/s.js', '--region', `\${REGION:-eu}`],
          env: { A: '1', KEY: `\${API_KEY}`, OTHER: `\${OTHER_KEY}` },
          expand_variables: true,
        },
        notCarried: [
          { key: 'envFile', reason: 'its variables were copied, and later changes to the file have no effect' },
          {
            key: 'env.UNSET',
            reason: 'null is no value, and servers get only the variables that their entry names',
          },
          { key: 'sandboxEnabled', reason: 'Switchboard does not run servers in a sandbox' },
          { key: 'sandbox', reason: 'Switchboard does not run servers in a sandbox' },
          { key: 'dev', reason: 'Switchboard has no debugger: it restarts a server when its entry changes' },
          { key: 'gallery', reason: 'only VS Code uses it' },
        ],
      },
      {
        name: 'web',
        line: 12,
        project: '/project',
        entry: {
          transport: 'http',
          url: 'https://web.example/mcp',
          headers: { Authorization: `Bearer \${API_KEY}` },
          expand_variables: true,
        },
        notCarried: [],
      },
    ],
    skipped: [
      { name: 'socket', line: 13, reason: 'Switchboard connects to http:// and https:// only, not to unix://' },
      { name: 'pipe', line: 14, reason: 'Switchboard connects to http:// and https:// only, not to pipe://' },
    ],
  });
});
