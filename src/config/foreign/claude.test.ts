import { expect, test } from 'vitest';
import { foreignServer, readForeignText } from '../../../test/config/foreign-file.ts';
import { claudeShape } from './claude.ts';

test('translates a .mcp.json with variables, headers, sign-in settings and timeouts', () => {
  const text = `{
  "mcpServers": {
    "local": { "type": "stdio", "command": "\${BIN:-node}", "args": ["\${FILE}"], "env": { "A": "x\${B}" }, "timeout": 5000 },
    "web": {
      "type": "http", "url": "https://\${HOST}/mcp", "headers": { "Authorization": "Bearer \${KEY}" },
      "headersHelper": "/bin/helper",
      "oauth": { "clientId": "id", "callbackPort": 8080, "authServerMetadataUrl": "https://as.example", "scopes": "a b" }
    },
    "old": { "type": "sse", "url": "https://old.example/sse" },
    "odd": { "type": "ws", "url": "wss://x" },
    "nothing": {}
  }
}`;
  expect(readForeignText(claudeShape, text, { project: '/project' })).toEqual({
    servers: [
      {
        name: 'local',
        line: 3,
        project: '/project',
        entry: {
          transport: 'stdio',
          command: `\${BIN:-node}`,
          args: [`\${FILE}`],
          env: { A: `x\${B}` },
          request_timeout_ms: 5000,
          expand_variables: true,
        },
        notCarried: [],
      },
      {
        name: 'web',
        line: 4,
        project: '/project',
        entry: {
          transport: 'http',
          url: `https://\${HOST}/mcp`,
          headers: { Authorization: `Bearer \${KEY}` },
          oauth: { client_id: 'id', scope: 'a b' },
          expand_variables: true,
        },
        notCarried: [
          {
            key: 'headersHelper',
            reason: 'Switchboard runs no program to get headers: name a variable in header_env instead',
          },
          {
            key: 'oauth.callbackPort',
            reason: 'pass it when you sign in: switchboard mcp login <id> --callback-port <n>',
          },
          { key: 'oauth.authServerMetadataUrl', reason: 'Switchboard discovers the authorization server itself' },
        ],
      },
      {
        name: 'old',
        line: 9,
        project: '/project',
        entry: { transport: 'http', url: 'https://old.example/sse' },
        notCarried: [],
      },
    ],
    skipped: [
      { name: 'odd', line: 10, reason: expect.stringContaining('mcpServers.odd.type must be one of "stdio"') },
      { name: 'nothing', line: 11, reason: 'it has neither a command nor a URL' },
    ],
  });
});

test('reads the servers of ~/.claude.json for all projects and for this one', () => {
  const text = JSON.stringify({
    numStartups: 7,
    mcpServers: { everywhere: { command: 'a' }, both: { command: 'user' } },
    projects: {
      '/project': {
        allowedTools: [],
        mcpServers: { here: { command: 'b' }, both: { command: 'project' } },
        disabledMcpServers: ['here', 'everywhere'],
      },
      '/other': { mcpServers: { elsewhere: { command: 'c' } } },
      '/plain': {},
    },
  });
  const reason =
    'Claude Code disables the server in this project only: run switchboard mcp disable here to do the same';
  const own = (name: string, entry: object) => ({ name, line: 1, project: '/project', entry, notCarried: [] });
  expect(readForeignText(claudeShape, text)).toEqual({
    servers: [
      foreignServer('everywhere', { transport: 'stdio', command: 'a' }, [{ key: 'disabledMcpServers', reason }]),
      own('here', { transport: 'stdio', command: 'b', enabled: false }),
      own('both', { transport: 'stdio', command: 'project' }),
    ],
    skipped: [
      { name: 'elsewhere', line: 1, reason: 'it belongs to another project: run switchboard import in /other' },
    ],
  });
});
