import { describeShape } from './shape-contract.ts';

describeShape('GitHub Copilot CLI', {
  client: 'copilot',
  file: '.copilot/mcp-config.json',
  text: `{
  "mcpServers": {
    "local": {
      "type": "local", "command": "npx", "args": ["-y", "server", "\${NOT_A_VARIABLE}"],
      "env": { "PLAIN": "x" }, "tools": ["read", "list"], "timeout": 3000, "cwd": "/srv"
    },
    "web": {
      "type": "http", "url": "https://web.example/mcp", "headers": { "X-Api-Key": "copilot-s3cret" }, "tools": ["*"],
      "isDefaultServer": true
    },
    "events": { "type": "sse", "url": "https://events.example/sse", "tools": [] }
  }
}
`,
  servers: [['mcpServers']],
  // `*` is the default.
  redundant: ['type', '0', 'tools'],
  expected: {
    entries: {
      local: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', 'server', `\${NOT_A_VARIABLE}`],
        cwd: '/srv',
        env: { PLAIN: 'x' },
        enabled_tools: ['read', 'list'],
        request_timeout_ms: 3000,
        imported_from: 'GitHub Copilot CLI (~/.copilot/mcp-config.json)',
      },
      web: {
        transport: 'http',
        url: 'https://web.example/mcp',
        header_env: { 'X-Api-Key': 'IMPORTED_WEB_X_API_KEY' },
        imported_from: 'GitHub Copilot CLI (~/.copilot/mcp-config.json)',
      },
      events: {
        transport: 'http',
        url: 'https://events.example/sse',
        enabled_tools: [],
        imported_from: 'GitHub Copilot CLI (~/.copilot/mcp-config.json)',
      },
    },
    secrets: { IMPORTED_WEB_X_API_KEY: 'copilot-s3cret' },
    notCarried: { web: ['isDefaultServer'] },
  },
});
