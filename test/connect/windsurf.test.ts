import { at, describeClient } from './client-contract.ts';

describeClient({
  client: 'windsurf',
  file: '.codeium/windsurf/mcp_config.json',
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
  entry: (command) => ({ command, args: ['gateway', '--client', 'windsurf'] }),
  isOn: (content, name) => at(content, ['mcpServers', name, 'disabled']) !== true,
});
