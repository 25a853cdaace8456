import { expect, test } from 'vitest';
import { foreignServer, readForeignText } from '../../../test/config/foreign-file.ts';
import { genericShape } from './generic.ts';

const SERVER = { command: 'npx', args: ['x'], env: { A: `\${A}` } };
const ENTRY = {
  transport: 'stdio',
  command: 'npx',
  args: ['x'],
  env: { A: `\${A}` },
  expand_variables: true,
};

test.each([
  ['mcpServers', { mcpServers: { a: SERVER } }],
  ['mcp_servers', { mcp_servers: { a: SERVER } }],
  ['servers', { servers: { a: SERVER } }],
  ['a list', [{ name: 'a', ...SERVER }]],
  ['a single server', { name: 'a', ...SERVER }],
])('translates %s', (_, content) => {
  expect(readForeignText(genericShape, JSON.stringify(content))).toEqual({
    servers: [{ name: 'a', line: 1, project: undefined, entry: ENTRY, notCarried: [] }],
    skipped: [],
  });
});

test('translates every key of our own config and does not expand its values', () => {
  const entries = {
    local: {
      transport: 'stdio',
      command: 'x',
      args: [`\${A}`],
      cwd: '/d',
      env: { A: 'b' },
      env_vars: ['C'],
      inherit_env: true,
      framing: 'content-length',
      enabled: false,
      enabled_tools: ['a'],
      disabled_tools: ['b'],
      startup_timeout_ms: 1,
      request_timeout_ms: 2,
      start: 'lazy',
      pin: true,
      restart: 'stop-first',
      share: 'client',
    },
    web: {
      transport: 'http',
      url: 'https://web.example/mcp',
      headers: { A: 'b' },
      header_env: { C: 'D' },
      bearer_token_env_var: 'E',
      oauth: {
        authorization_url: 'https://a.example',
        token_url: 'https://b.example',
        registration_url: 'https://c.example',
        client_id: 'id',
        client_secret: 's',
        scope: 'a',
      },
      expand_variables: true,
    },
  };
  const { servers } = readForeignText(genericShape, JSON.stringify({ version: 1, mcp: { servers: entries } }));
  expect(Object.fromEntries(servers.map(({ name, entry }) => [name, entry]))).toEqual(entries);
  expect(servers.flatMap(({ notCarried }) => notCarried)).toEqual([]);
});

test('understands the spellings and variables of several programs', () => {
  const server = {
    serverUrl: `https://\${env:HOST}/mcp`,
    http_headers: { A: `\${B:-c}`, D: `\${userHome}` },
    disabled: true,
    includeTools: ['a'],
    excludeTools: ['b'],
    startup_timeout_sec: 1.5,
    tool_timeout_sec: 2,
    autoApprove: ['x'],
  };
  expect(readForeignText(genericShape, JSON.stringify({ mcpServers: { a: server } })).servers).toEqual([
    foreignServer(
      'a',
      {
        transport: 'http',
        url: `https://\${HOST}/mcp`,
        headers: { A: `\${B:-c}`, D: '/home/me' },
        enabled: false,
        enabled_tools: ['a'],
        disabled_tools: ['b'],
        startup_timeout_ms: 1500,
        request_timeout_ms: 2000,
        expand_variables: true,
      },
      [{ key: 'autoApprove', reason: 'Switchboard has no such setting' }],
    ),
  ]);
});

test('rejects a file without servers, and skips a server without a name', () => {
  expect(() => readForeignText(genericShape, '{"a": 1}')).toThrow('config.json:1: No servers found');
  expect(readForeignText(genericShape, '[{}]').skipped).toEqual([{ name: '', line: 1, reason: 'it has no name' }]);
});
