import { describeShape } from './shape-contract.ts';

const PROJECT_SERVERS = ['projects', 'HOME/project', 'mcpServers'];

describeShape('Claude Code', {
  client: 'claude',
  file: '.claude.json',
  text: `{
  "numStartups": 212,
  "theme": "dark",
  "oauthAccount": { "emailAddress": "me@example.com" },
  "mcpServers": {
    "files": {
      "type": "stdio",
      "command": "\${NODE:-node}",
      "args": ["files.js", "\${ROOT}"],
      "env": { "MODE": "\${MODE:-fast}", "FILES_API_KEY": "inline-s3cret" },
      "timeout": 30000
    },
    "web": {
      "type": "http",
      "url": "https://\${WEB_HOST:-web.example}/mcp",
      "headers": { "Authorization": "Bearer \${WEB_TOKEN}", "X-Team": "blue" },
      "headersHelper": "/opt/headers.sh",
      "oauth": { "clientId": "abc", "callbackPort": 8080, "authServerMetadataUrl": "https://a.example", "scopes": "a b" }
    },
    "events": { "type": "sse", "url": "https://events.example/sse" }
  },
  "projects": {
    "HOME/project": {
      "allowedTools": [],
      "mcpServers": { "local": { "command": "node", "args": ["local.js"] }, "off": { "command": "node" } },
      "disabledMcpServers": ["off"]
    },
    "HOME/other": { "mcpServers": { "elsewhere": { "command": "node" } } }
  }
}
`,
  servers: [['mcpServers'], PROJECT_SERVERS, ['projects', 'HOME/project', 'disabledMcpServers']],
  redundant: ['type'],
  expected: {
    entries: {
      files: {
        transport: 'stdio',
        command: `\${NODE:-node}`,
        args: ['files.js', `\${ROOT}`],
        env: { MODE: `\${MODE:-fast}`, FILES_API_KEY: `\${IMPORTED_FILES_API_KEY}` },
        request_timeout_ms: 30_000,
        expand_variables: true,
        imported_from: 'Claude Code (~/.claude.json)',
      },
      web: {
        transport: 'http',
        url: `https://\${WEB_HOST:-web.example}/mcp`,
        headers: { 'X-Team': 'blue' },
        oauth: { client_id: 'abc', scope: 'a b' },
        bearer_token_env_var: 'WEB_TOKEN',
        expand_variables: true,
        imported_from: 'Claude Code (~/.claude.json)',
      },
      events: {
        transport: 'http',
        url: 'https://events.example/sse',
        imported_from: 'Claude Code (~/.claude.json)',
      },
    },
    projectEntries: {
      local: {
        transport: 'stdio',
        command: 'node',
        args: ['local.js'],
        imported_from: 'Claude Code (~/.claude.json)',
      },
      off: { transport: 'stdio', command: 'node', enabled: false, imported_from: 'Claude Code (~/.claude.json)' },
    },
    secrets: { IMPORTED_FILES_API_KEY: 'inline-s3cret' },
    notCarried: { web: ['headersHelper', 'oauth.callbackPort', 'oauth.authServerMetadataUrl'] },
    skipped: { elsewhere: 'it belongs to another project' },
    missing: { files: ['ROOT'], web: ['WEB_TOKEN'] },
  },
});
