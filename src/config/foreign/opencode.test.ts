import { expect, test } from 'vitest';
import { foreignServer, readForeignText } from '../../../test/config/foreign-file.ts';
import { opencodeShape } from './opencode.ts';

test('translates version 1: command lists, environment, variables and files', () => {
  const text = JSON.stringify({
    $schema: 'https://opencode.ai/config.json',
    mcp: {
      local: {
        type: 'local',
        command: ['bun', 'x', '{env:PACKAGE}'],
        environment: { KEY: '{env:KEY}', FROM_FILE: '{file:./token.txt}' },
        enabled: false,
        timeout: 5000,
      },
      web: {
        type: 'remote',
        url: 'https://web.example/mcp',
        headers: { Authorization: 'Bearer {file:~/.missing}' },
        oauth: { clientId: 'id', clientSecret: '{env:SECRET}', scope: 'a' },
      },
      open: { type: 'remote', url: 'https://open.example/mcp', oauth: false },
      empty: { type: 'local' },
    },
  });
  const files = { '/home/me/.config/opencode/token.txt': 'abc\n' };
  expect(readForeignText(opencodeShape, text, { file: '/home/me/.config/opencode/opencode.json', files })).toEqual({
    servers: [
      foreignServer(
        'local',
        {
          transport: 'stdio',
          command: 'bun',
          args: ['x', `\${PACKAGE}`],
          env: { KEY: `\${KEY}`, FROM_FILE: 'abc' },
          enabled: false,
          startup_timeout_ms: 5000,
          expand_variables: true,
        },
        [
          {
            key: 'environment.FROM_FILE',
            reason: 'the content of ./token.txt was copied, and later changes have no effect',
          },
        ],
      ),
      foreignServer(
        'web',
        {
          transport: 'http',
          url: 'https://web.example/mcp',
          headers: { Authorization: `Bearer \${MISSING}` },
          oauth: { client_id: 'id', client_secret: `\${SECRET}`, scope: 'a' },
          expand_variables: true,
        },
        [
          {
            key: 'headers.Authorization',
            reason: '~/.missing cannot be read: run switchboard secret set MISSING',
          },
        ],
      ),
      foreignServer('open', { transport: 'http', url: 'https://open.example/mcp' }, [
        { key: 'oauth', reason: 'Switchboard signs in only when you run switchboard mcp login' },
      ]),
    ],
    skipped: [{ name: 'empty', line: 1, reason: 'it has neither a command nor a URL' }],
  });
});

test('translates version 2: servers below mcp.servers, with disabled, cwd and two timeouts', () => {
  const text = JSON.stringify({
    mcp: {
      servers: {
        local: {
          type: 'local',
          command: ['node', 's.js'],
          cwd: '/srv',
          disabled: true,
          timeout: { startup: 1000, request: 2000, idle: 5 },
        },
        web: {
          type: 'remote',
          url: 'https://web.example/mcp',
          oauth: { client_id: 'id', client_secret: 's', scope: 'a', redirect_uri: 'x' },
        },
      },
    },
  });
  expect(readForeignText(opencodeShape, text)).toEqual({
    servers: [
      foreignServer(
        'local',
        {
          transport: 'stdio',
          command: 'node',
          args: ['s.js'],
          cwd: '/srv',
          enabled: false,
          startup_timeout_ms: 1000,
          request_timeout_ms: 2000,
        },
        [{ key: 'timeout.idle', reason: 'Switchboard has no such setting' }],
      ),
      foreignServer(
        'web',
        {
          transport: 'http',
          url: 'https://web.example/mcp',
          oauth: { client_id: 'id', client_secret: 's', scope: 'a' },
        },
        [{ key: 'oauth.redirect_uri', reason: 'Switchboard has no such setting' }],
      ),
    ],
    skipped: [],
  });
});
