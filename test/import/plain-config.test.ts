import { describeShape } from './shape-contract.ts';

/** A server as `.mcp.json` and the first wrapper wrote it. */
const SERVER = `"command": "npx", "args": ["-y", "server", "\${ROOT:-/data}"], "env": { "TOKEN": "\${FILES_TOKEN}" }`;
const FROM = 'an MCP config (~/downloads/.mcp.json)';
const FILE = {
  file: 'downloads/.mcp.json',
  expected: {
    entries: {
      files: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', 'server', `\${ROOT:-/data}`],
        env: { TOKEN: `\${FILES_TOKEN}` },
        expand_variables: true,
        imported_from: FROM,
      },
    },
    missing: { files: ['FILES_TOKEN'] },
  },
};

describeShape('servers', { ...FILE, text: `{ "servers": { "files": { ${SERVER} } } }`, servers: [['servers']] });
describeShape('mcp_servers', {
  ...FILE,
  text: `{ "mcp_servers": { "files": { ${SERVER} } } }`,
  servers: [['mcp_servers']],
});
describeShape('mcpServers', {
  ...FILE,
  text: `{ "mcpServers": { "files": { ${SERVER} } } }`,
  servers: [['mcpServers']],
});
describeShape('a list of servers', { ...FILE, text: `[{ "name": "files", ${SERVER} }]`, servers: [[]] });
describeShape('a single server', { ...FILE, text: `{ "name": "files", ${SERVER} }`, servers: [[]] });

describeShape('a .mcp.json of Claude Code', {
  file: 'downloads/.mcp.json',
  text: `{
  "mcpServers": {
    "web": {
      "type": "http",
      "url": "\${BASE:-https://web.example}/mcp",
      "headers": { "Authorization": "Bearer \${WEB_TOKEN}" },
      "headersHelper": "/opt/headers.sh",
      "oauth": { "clientId": "abc", "callbackPort": 8080, "authServerMetadataUrl": "https://a.example", "scopes": "a b" },
      "timeout": 20000
    },
    "events": { "type": "sse", "url": "https://events.example/sse" }
  }
}
`,
  servers: [['mcpServers']],
  redundant: ['type'],
  expected: {
    entries: {
      web: {
        transport: 'http',
        url: `\${BASE:-https://web.example}/mcp`,
        oauth: { client_id: 'abc', scope: 'a b' },
        request_timeout_ms: 20_000,
        bearer_token_env_var: 'WEB_TOKEN',
        expand_variables: true,
        imported_from: FROM,
      },
      events: { transport: 'http', url: 'https://events.example/sse', imported_from: FROM },
    },
    notCarried: { web: ['oauth.callbackPort', 'oauth.authServerMetadataUrl', 'headersHelper'] },
    missing: { web: ['WEB_TOKEN'] },
  },
});

describeShape('our own config', {
  file: 'downloads/config.json',
  text: `{
  "version": 1,
  "mcp": {
    "servers": {
      "local": {
        "transport": "stdio", "command": "node", "args": ["\${NOT_A_VARIABLE}"], "cwd": "/srv",
        "env": { "MODE": "fast" }, "env_vars": ["HOST"], "inherit_env": true, "framing": "content-length",
        "enabled": false, "enabled_tools": ["a"], "disabled_tools": ["b"],
        "startup_timeout_ms": 1000, "request_timeout_ms": 2000, "start": "lazy", "pin": true, "restart": "stop-first"
      },
      "web": {
        "transport": "http", "url": "https://web.example/mcp", "headers": { "X-Team": "blue" },
        "header_env": { "X-User": "WEB_USER" }, "bearer_token_env_var": "WEB_TOKEN", "request_timeout_ms": 2000,
        "oauth": {
          "authorization_url": "https://a.example/authorize", "token_url": "https://a.example/token",
          "registration_url": "https://a.example/register", "client_id": "abc", "client_secret": "own-s3cret",
          "scope": "a b"
        }
      }
    }
  }
}
`,
  servers: [['mcp', 'servers']],
  redundant: ['transport'],
  expected: {
    entries: {
      local: {
        transport: 'stdio',
        command: 'node',
        args: [`\${NOT_A_VARIABLE}`],
        cwd: '/srv',
        env: { MODE: 'fast' },
        env_vars: ['HOST'],
        inherit_env: true,
        framing: 'content-length',
        enabled_tools: ['a'],
        disabled_tools: ['b'],
        startup_timeout_ms: 1000,
        request_timeout_ms: 2000,
        start: 'lazy',
        pin: true,
        restart: 'stop-first',
        enabled: false,
        imported_from: 'an MCP config (~/downloads/config.json)',
      },
      web: {
        transport: 'http',
        url: 'https://web.example/mcp',
        headers: { 'X-Team': 'blue' },
        header_env: { 'X-User': 'WEB_USER' },
        bearer_token_env_var: 'WEB_TOKEN',
        oauth: {
          authorization_url: 'https://a.example/authorize',
          token_url: 'https://a.example/token',
          registration_url: 'https://a.example/register',
          client_id: 'abc',
          scope: 'a b',
          client_secret_env: 'IMPORTED_WEB_CLIENT_SECRET',
        },
        request_timeout_ms: 2000,
        imported_from: 'an MCP config (~/downloads/config.json)',
      },
    },
    secrets: { IMPORTED_WEB_CLIENT_SECRET: 'own-s3cret' },
    missing: { local: ['HOST'], web: ['WEB_USER', 'WEB_TOKEN'] },
  },
});
