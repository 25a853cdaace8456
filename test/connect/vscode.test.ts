import { at, describeClient } from './client-contract.ts';

describeClient({
  client: 'vscode',
  file: '.config/Code/User/mcp.json',
  text: `{
	// Shared with all windows
	"servers": {
		"files": { "type": "stdio", "command": "npx", "args": ["-y", "server-files"] },
		"web": { "type": "http", "url": "https://example.com/mcp", },
	},
	"inputs": [],
}
`,
  servers: ['servers'],
  entry: (command) => ({ type: 'stdio', command, args: ['gateway', '--client', 'vscode'] }),
  isOn: (content, name) => at(content, ['servers', name]) !== undefined,
});
