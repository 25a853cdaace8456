import { expect, test } from 'vitest';
import { readForeignToml } from '../../../test/config/foreign-file.ts';
import { codexShape } from './codex.ts';

const FILE = `
model = "gpt-5"

[mcp_servers.files]
command = "npx"
args = ["-y", "server-files", "\${HOME}"]
cwd = "/data"
env_vars = ["HOME_TOKEN", { name = "LOCAL", source = "local" }, { name = "FAR", source = "remote" }]
enabled = false
required = true
startup_timeout_sec = 10.5
tool_timeout_sec = 60
enabled_tools = ["read"]
disabled_tools = ["write"]
default_tools_approval_mode = "auto"

[mcp_servers.files.env]
MODE = "fast"

[mcp_servers."figma"]
url = "https://figma.example/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
http_headers = { "X-Team" = "a" }
env_http_headers = { "X-Key" = "FIGMA_KEY" }
http_headers_helper = "get-headers"
scopes = ["read", "write"]
oauth_resource = "https://figma.example"
startup_timeout_ms = 2500

[mcp_servers.figma.oauth]
client_id = "me"

[mcp_servers.broken]
command = 7
`;

test('translates every key of config.toml, with times in seconds and without variables', async () => {
  expect(await readForeignToml(codexShape, FILE)).toEqual({
    servers: [
      {
        name: 'files',
        line: 4,
        project: undefined,
        entry: {
          transport: 'stdio',
          command: 'npx',
          args: ['-y', 'server-files', `\${HOME}`],
          cwd: '/data',
          env: { MODE: 'fast' },
          env_vars: ['HOME_TOKEN', 'LOCAL'],
          enabled: false,
          enabled_tools: ['read'],
          disabled_tools: ['write'],
          startup_timeout_ms: 10500,
          request_timeout_ms: 60000,
        },
        notCarried: [
          { key: 'required', reason: 'Switchboard starts without servers that fail, and connects to them later' },
          { key: 'env_vars.FAR', reason: 'it comes from the environment of another machine' },
          { key: 'default_tools_approval_mode', reason: 'only Codex uses it' },
        ],
      },
      {
        name: 'figma',
        line: 20,
        project: undefined,
        entry: {
          transport: 'http',
          url: 'https://figma.example/mcp',
          headers: { 'X-Team': 'a' },
          header_env: { 'X-Key': 'FIGMA_KEY' },
          bearer_token_env_var: 'FIGMA_TOKEN',
          oauth: { client_id: 'me', scope: 'read write' },
          startup_timeout_ms: 2500,
        },
        notCarried: [
          {
            key: 'http_headers_helper',
            reason: 'Switchboard runs no program to get headers: name a variable in header_env instead',
          },
          { key: 'oauth_resource', reason: 'Switchboard uses the resource that the server reports' },
        ],
      },
    ],
    skipped: [{ name: 'broken', line: 33, reason: 'mcp_servers.broken.command must be a string, but is a number' }],
  });
});

test('reads an inline token as a header, and a config without servers as empty', async () => {
  const { servers } = await readForeignToml(
    codexShape,
    '[mcp_servers.a]\nurl = "https://a.example"\nbearer_token = "t"\n',
  );
  expect(servers.map(({ entry }) => entry)).toEqual([
    { transport: 'http', url: 'https://a.example', headers: { Authorization: 'Bearer t' } },
  ]);
  expect(await readForeignToml(codexShape, 'model = "x"\n')).toEqual({ servers: [], skipped: [] });
});

test('names the line of invalid TOML and does not repeat its text', async () => {
  const broken = readForeignToml(codexShape, 'a = 1\n[mcp_servers.x]\ntoken = "secret-value\n');
  await expect(broken).rejects.toThrow('/home/me/config.toml:3: Not TOML at column');
  await expect(broken).rejects.not.toThrow('secret-value');
});
