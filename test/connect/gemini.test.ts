import { at, describeClient } from './client-contract.ts';

describeClient({
  client: 'gemini',
  file: '.gemini/settings.json',
  text: `{
  "ui": { "theme": "GitHub" },
  "mcp": { "allowed": ["files", "web"] },
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "server-files"], "trust": false },
    "web": { "httpUrl": "https://example.com/mcp" }
  }
}
`,
  servers: ['mcpServers'],
  entry: (command) => ({ command, args: ['gateway', '--client', 'gemini'] }),
  isOn: (content, name) =>
    ![at(content, ['mcp', 'excluded'])].flat().includes(name) && at(content, ['mcpServers', name]) !== undefined,
});
