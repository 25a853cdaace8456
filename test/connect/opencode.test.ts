import { at, describeClient } from './client-contract.ts';

describeClient({
  client: 'opencode',
  file: '.config/opencode/opencode.json',
  text: `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "files": { "type": "local", "command": ["npx", "-y", "server-files"], "enabled": true },
    "web": { "type": "remote", "url": "https://example.com/mcp" }
  }
}
`,
  servers: ['mcp'],
  entry: (command) => ({ type: 'local', command: [command, 'gateway', '--client', 'opencode'] }),
  isOn: (content, name) => at(content, ['mcp', name, 'enabled']) !== false,
});

describeClient({
  client: 'opencode',
  file: '.config/opencode/opencode.jsonc',
  text: `{
  // The second version of the format
  "mcp": {
    "timeout": 5000,
    "servers": {
      "files": { "type": "local", "command": ["npx", "-y", "server-files"] },
      "web": { "type": "remote", "url": "https://example.com/mcp" },
    },
  },
}
`,
  servers: ['mcp', 'servers'],
  entry: (command) => ({ type: 'local', command: [command, 'gateway', '--client', 'opencode'] }),
  isOn: (content, name) => at(content, ['mcp', 'servers', name, 'disabled']) !== true,
  isNeverCreated: true,
});
