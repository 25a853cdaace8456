import { at, describeClient } from './client-contract.ts';

describeClient({
  client: 'claude-desktop',
  file: '.config/Claude/claude_desktop_config.json',
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
  entry: (command) => ({ command, args: ['gateway', '--client', 'claude-desktop'] }),
  isOn: (content, name) => at(content, ['mcpServers', name]) !== undefined,
});
