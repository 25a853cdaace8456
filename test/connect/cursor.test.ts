import { at, describeClient } from './client-contract.ts';

describeClient({
  client: 'cursor',
  file: '.cursor/mcp.json',
  text: `// My servers
{
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "server-files", "/data"] },
    "web": {
      "command": "uvx",
      "args": ["server-web"], // the newest one
      "env": { "API_KEY": "a-secret-value" }
    }
  }
}
`,
  servers: ['mcpServers'],
  entry: (command) => ({ command, args: ['gateway', '--client', 'cursor'] }),
  isOn: (content, name) => at(content, ['mcpServers', name]) !== undefined,
});
