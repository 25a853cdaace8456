import { describeShape } from './shape-contract.ts';

describeShape('Codex', {
  client: 'codex',
  file: '.codex/config.toml',
  text: `# My Codex
model = "gpt-5.5"
mcp_oauth_callback_port = 4321

[mcp_servers.github] # issues and pull requests
command = "npx"
args = ["-y", "server-github", "\${NOT_A_VARIABLE}"]
cwd = "/srv"
env = { GITHUB_TOKEN = "github-s3cret", LOG = "debug" }
env_vars = ["HOST", { name = "REGION", source = "local" }, { name = "FAR", source = "remote" }]
startup_timeout_sec = 2.5
tool_timeout_sec = 90
enabled_tools = ["search", "read"]
disabled_tools = ["delete"]
required = true
supports_parallel_tool_calls = true
default_tools_approval_mode = "prompt"
omit_tools_from = ["review"]
name = "GitHub"
environment_id = "local"

[mcp_servers.github.tools.search]
approval_mode = "approve"

[mcp_servers.web]
url = "https://web.example/mcp"
bearer_token_env_var = "WEB_TOKEN"
http_headers = { "X-Team" = "blue", "X-Api-Key" = "header-s3cret" }
env_http_headers = { "X-User" = "WEB_USER" }
http_headers_helper = "helper"
scopes = ["read", "write"]
oauth_resource = "https://web.example"
oauth = { client_id = "abc", client_secret = "oauth-s3cret", callback_url = "http://127.0.0.1/callback/x" }
auth = "oauth"
enabled = false
startup_timeout_ms = 1500

[projects."/srv"]
trust_level = "trusted"
`,
  servers: [['mcp_servers']],
  // `local` is the default.
  redundant: ['source'],
  expected: {
    entries: {
      github: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', 'server-github', `\${NOT_A_VARIABLE}`],
        cwd: '/srv',
        env: { LOG: 'debug' },
        env_vars: ['HOST', 'REGION', 'GITHUB_TOKEN'],
        enabled_tools: ['search', 'read'],
        disabled_tools: ['delete'],
        startup_timeout_ms: 2500,
        request_timeout_ms: 90_000,
        imported_from: 'Codex (~/.codex/config.toml)',
      },
      web: {
        transport: 'http',
        url: 'https://web.example/mcp',
        headers: { 'X-Team': 'blue' },
        header_env: { 'X-User': 'WEB_USER', 'X-Api-Key': 'IMPORTED_WEB_X_API_KEY' },
        bearer_token_env_var: 'WEB_TOKEN',
        oauth: { client_id: 'abc', scope: 'read write', client_secret_env: 'IMPORTED_WEB_CLIENT_SECRET' },
        startup_timeout_ms: 1500,
        enabled: false,
        imported_from: 'Codex (~/.codex/config.toml)',
      },
    },
    secrets: {
      GITHUB_TOKEN: 'github-s3cret',
      IMPORTED_WEB_X_API_KEY: 'header-s3cret',
      IMPORTED_WEB_CLIENT_SECRET: 'oauth-s3cret',
    },
    notCarried: {
      github: [
        'required',
        'env_vars.FAR',
        'supports_parallel_tool_calls',
        'default_tools_approval_mode',
        'omit_tools_from',
        'name',
        'environment_id',
        'tools',
      ],
      web: ['http_headers_helper', 'oauth_resource', 'oauth.callback_url', 'auth'],
    },
    missing: { github: ['HOST', 'REGION'], web: ['WEB_USER', 'WEB_TOKEN'] },
  },
});
