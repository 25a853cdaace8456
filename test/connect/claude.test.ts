import { at, describeClient } from './client-contract.ts';

describeClient({
  client: 'claude',
  file: '.claude.json',
  text: `{
  "numStartups": 12,
  "theme": "dark",
  "mcpServers": {
    "files": { "type": "stdio", "command": "npx", "args": ["-y", "server-files"], "env": {} },
    "web": { "type": "http", "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer a-secret-value" } }
  },
  "projects": { "/home/me/work": { "mcpServers": {}, "history": [] } }
}`,
  servers: ['mcpServers'],
  entry: (command) => ({ type: 'stdio', command, args: ['gateway', '--client', 'claude'] }),
  isOn: (content, name) => at(content, ['mcpServers', name]) !== undefined,
});
