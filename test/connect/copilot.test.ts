import { at, describeClient } from './client-contract.ts';

describeClient({
  client: 'copilot',
  file: '.copilot/mcp-config.json',
  text: `{
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "server-files", "/data"] },
    "web": {
      "command": "uvx",
      "args": ["server-web"],
      "env": { "API_KEY": "a-secret-value" }
    }
  }
}
`,
  servers: ['mcpServers'],
  entry: (command) => ({ type: 'local', command, args: ['gateway', '--client', 'copilot'], tools: ['*'] }),
  isOn: (content, name) => at(content, ['mcpServers', name]) !== undefined,
});
