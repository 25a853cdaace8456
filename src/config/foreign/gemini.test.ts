import { expect, test } from 'vitest';
import { foreignServer, readForeignText } from '../../../test/config/foreign-file.ts';
import { geminiShape } from './gemini.ts';

const TEXT = JSON.stringify({
  theme: 'dark',
  mcp: { excluded: ['off'] },
  mcpServers: {
    local: {
      command: 'python',
      args: ['$DIR/server.py', `\${MODE:-fast}`],
      env: { KEY: '$API_KEY' },
      cwd: './server',
      timeout: 600000,
      trust: true,
      description: 'x',
      includeTools: ['a'],
      excludeTools: ['b'],
    },
    both: {
      httpUrl: 'https://http.example/mcp',
      url: 'https://sse.example/sse',
      headers: { Authorization: `Bearer \${TOKEN}` },
      authProviderType: 'google_credentials',
      oauth: {
        enabled: true,
        clientId: 'id',
        clientSecret: 'secret',
        scopes: ['a', 'b'],
        authorizationUrl: 'https://as.example/authorize',
        tokenUrl: 'https://as.example/token',
        redirectUri: 'http://localhost:7777/cb',
      },
    },
    off: { url: 'https://sse.example/sse' },
    socket: { tcp: 'ws://x' },
  },
});

test('translates dollar variables, both URLs, filters, sign-in settings and the excluded list', () => {
  expect(readForeignText(geminiShape, TEXT)).toEqual({
    servers: [
      foreignServer(
        'local',
        {
          transport: 'stdio',
          command: 'python',
          args: [`\${DIR}/server.py`, `\${MODE:-fast}`],
          cwd: './server',
          env: { KEY: `\${API_KEY}` },
          enabled_tools: ['a'],
          disabled_tools: ['b'],
          request_timeout_ms: 600000,
          expand_variables: true,
        },
        [
          { key: 'trust', reason: 'the client that you connect decides which calls need your approval' },
          { key: 'description', reason: 'only Gemini CLI shows it' },
        ],
      ),
      foreignServer(
        'both',
        {
          transport: 'http',
          url: 'https://http.example/mcp',
          headers: { Authorization: `Bearer \${TOKEN}` },
          oauth: {
            authorization_url: 'https://as.example/authorize',
            token_url: 'https://as.example/token',
            client_id: 'id',
            client_secret: 'secret',
            scope: 'a b',
          },
          expand_variables: true,
        },
        [
          { key: 'url', reason: 'httpUrl is used instead' },
          {
            key: 'authProviderType',
            reason: 'Switchboard does not sign in with Google credentials: use headers or switchboard mcp login',
          },
          { key: 'oauth.enabled', reason: 'Switchboard signs in when you run switchboard mcp login' },
          { key: 'oauth.redirectUri', reason: 'Switchboard uses a redirect URL of its own' },
        ],
      ),
      foreignServer('off', { transport: 'http', url: 'https://sse.example/sse', enabled: false }),
    ],
    skipped: [{ name: 'socket', line: 1, reason: 'Switchboard does not connect to WebSocket servers' }],
  });
});

test('a server that is not in the allowed list is disabled', () => {
  const text = JSON.stringify({ mcp: { allowed: ['a'] }, mcpServers: { a: { command: 'x' }, b: { command: 'y' } } });
  expect(readForeignText(geminiShape, text).servers.map(({ entry }) => entry['enabled'])).toEqual([undefined, false]);
});
